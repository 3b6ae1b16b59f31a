/** References to values of a run, and their texts in a definition. */

declare const referred: unique symbol;

/** A placeholder for a value of type T at run time. */
export interface Reference<out T> {
  readonly [referred]: T;
}

/** A value of unknown type: every field may exist. */
export interface AnyRef extends Reference<never> {
  readonly [name: string]: AnyRef;
}

/** A reference whose fields are references too. An unknown field is a type error. */
export type Ref<T> = unknown extends T ? AnyRef : Reference<T> & Fields<NonNullable<T>>;

/** For lists: an item by index, or a field of all items as in JSONata. */
type Fields<T> = T extends readonly (infer Item)[]
  ? { readonly [place: number]: Ref<Item> } & (unknown extends Item ? {} : FieldLists<Item>)
  : T extends object
    ? { readonly [Name in keyof T & string]-?: Ref<T[Name]> }
    : {};

type FieldLists<Item> = Item extends object
  ? { readonly [Name in keyof Item & string]-?: Ref<readonly Exclude<Item[Name], undefined>[]> }
  : {};

/** A text with `{{ expression }}`. */
export type TemplateText = `${string}{{${string}`;

/** A value, or a template for it that is evaluated when the step runs. */
export type Templated<T> = T | Reference<T | null | undefined> | TemplateText;

/** A value in which any part can be a template. */
export type DeepTemplated<T> = unknown extends T
  ? unknown
  : Templated<
      T extends readonly (infer Item)[]
        ? readonly DeepTemplated<Item>[]
        : T extends object
          ? { readonly [Name in keyof T]: DeepTemplated<T[Name]> }
          : T
    >;

/** The text of one expression, for fields such as `condition.expression`. */
export class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return `{{ ${this.text} }}`;
  }
}

/** A field that is a single expression. */
export type ExpressionText = string | Expression | Reference<unknown>;

/** An expression with references inserted as paths, and other values as JSON. */
export function expression(
  texts: TemplateStringsArray,
  ...values: readonly (Reference<unknown> | Expression | string | number | boolean | null)[]
): Expression {
  const parts = values.map((value) => textOf(value) ?? JSON.stringify(value));
  return new Expression(texts.map((text, index) => text + (parts[index] ?? "")).join(""));
}

/** A text with references and expressions inserted as `{{ … }}`. */
export function template(
  texts: TemplateStringsArray,
  ...values: readonly (Reference<unknown> | Expression)[]
): TemplateText {
  const parts = values.map((value) => `{{ ${textOf(value) ?? ""} }}`);
  // Without values, it is a literal text.
  return texts.map((text, index) => text + (parts[index] ?? "")).join("") as TemplateText;
}

/** A reference by path, such as `["steps", "make", "output"]`. */
export function referTo<T>(path: readonly string[]): Ref<T> {
  const proxy: object = new Proxy(Object.freeze({}), {
    get: (_target, name) =>
      typeof name === "string"
        ? referTo([...path, name])
        : name === Symbol.toPrimitive
          ? () => `{{ ${formatPath(path)} }}`
          : undefined,
  });
  texts.set(proxy, formatPath(path));
  // Its fields are created on access.
  return proxy as Ref<T>;
}

const texts = new WeakMap<object, string>();

/** The text of a reference or an expression. Undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  if (value instanceof Expression) return value.text;
  return typeof value === "object" && value !== null ? texts.get(value) : undefined;
}

/** JSON with references and expressions replaced by their texts. Members without a value are omitted. */
export function toJson(value: unknown): unknown {
  if (value instanceof Expression) return value.text;
  const text = textOf(value);
  if (text !== undefined) return `{{ ${text} }}`;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, toJson(member)]),
  );
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PLACE = /^(?:0|[1-9]\d*)$/;
/** Names that are operators or literals in JSONata. */
const RESERVED = new Set(["and", "or", "in", "true", "false", "null", "function"]);

/** A path in JSONata syntax. */
export function formatPath(path: readonly string[]): string {
  return path
    .map((name, index) => {
      if (index > 0 && PLACE.test(name)) return `[${name}]`;
      const plain = PLAIN_NAME.test(name) && !RESERVED.has(name) ? name : `\`${name}\``;
      return index === 0 ? plain : `.${plain}`;
    })
    .join("");
}

const TOKEN = /^(?:\.?([A-Za-z_][A-Za-z0-9_]*)|\.?`([^`]+)`|\[(0|[1-9]\d*)\])/;

/** The path in a text. Undefined if `formatPath` would write it differently. */
export function parsePath(text: string): string[] | undefined {
  const path: string[] = [];
  for (let rest = text; rest !== "";) {
    const found = TOKEN.exec(rest);
    const name = found?.[1] ?? found?.[2] ?? found?.[3];
    if (!found || name === undefined) return undefined;
    path.push(name);
    rest = rest.slice(found[0].length);
  }
  return path.length > 0 && formatPath(path) === text ? path : undefined;
}
