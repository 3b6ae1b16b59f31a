import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import type { FieldError } from "../operation/failure.ts";
import { jsonPointer, pointerSegments } from "./json-pointer.ts";

export type RequestPart = "params" | "query" | "body";

/** Validates one part of a request. Compiled on first use, to keep the start fast. */
export class Validator {
  readonly #schema: TSchema;
  readonly #part: RequestPart;
  readonly #hasDefaults: boolean;
  #compiled: ReturnType<typeof Compile> | undefined;

  constructor(schema: TSchema, part: RequestPart) {
    this.#schema = schema;
    this.#part = part;
    this.#hasDefaults = JSON.stringify(schema).includes('"default":');
  }

  /** The value with defaults, or its errors. Query texts are converted to the types of the schema. */
  check(value: unknown): { readonly value: unknown } | { readonly errors: readonly FieldError[] } {
    this.#compiled ??= Compile(this.#schema);
    let subject = value;
    if (this.#part === "query" && hasFields(value)) subject = this.#convertQuery(value as object);
    if (this.#hasDefaults) subject = Value.Default(this.#schema, subject);
    if (this.#compiled.Check(subject)) return { value: subject };
    return { errors: this.#errorsOf(subject) };
  }

  /** A text is converted only if it is exactly that number: TypeBox truncates 1.5 to 1 and reads "" as 0. */
  #convertQuery(query: object): unknown {
    const texts = Object.entries(query);
    const values = Value.Convert(this.#schema, query) as Record<string, unknown>;
    for (const [name, text] of texts) {
      if (typeof values[name] === "number" && !isWrittenNumber(text, values[name]))
        values[name] = text;
    }
    return values;
  }

  #errorsOf(subject: unknown): FieldError[] {
    const errors = fieldErrors(this.#compiled?.Errors(subject) ?? []);
    const part = this.#part;
    if (part === "body") return errors;
    return errors.map(({ path, message }) => ({ path: requestPath(part, path), message }));
  }
}

/** Most queries are empty, and detecting that no conversion is needed takes longer than all checks. */
function hasFields(value: unknown): boolean {
  for (const _ in value as object) return true;
  return false;
}

function isWrittenNumber(text: unknown, number: number): boolean {
  return typeof text === "string" && text.trim() !== "" && Number(text) === number;
}

/**
 * Converts TypeBox's errors to field errors in plain words, the first for each path. Each TypeBox error must give a
 * field error, because a value without errors counts as valid.
 */
export function fieldErrors(errors: Iterable<SchemaError>): FieldError[] {
  const all = [...errors];
  const byPath = new Map<string, FieldError>();
  for (const error of withoutOtherTypes(all).flatMap(describeError)) {
    if (!byPath.has(error.path)) byPath.set(error.path, error);
  }
  if (byPath.size > 0 || all.length === 0) return [...byPath.values()];
  // TypeBox limits its errors, and many unknown fields leave no room for the error that names all of them.
  return all.map(({ instancePath }) => ({ path: instancePath, message: "is not a known field" }));
}

/** The maximum depth of nested conditional subschemas. */
const CONDITIONS_DEPTH_MAX = 20;

/**
 * The errors of a value by a user-defined schema. For a condition, TypeBox reports only that `then` or `else` does not
 * match; this adds the errors of that subschema.
 */
export function valueErrors(schema: TSchema, value: unknown): FieldError[] {
  return fieldErrors(withConditions(schema, value, 0));
}

function withConditions(schema: TSchema, value: unknown, depth: number): SchemaError[] {
  return [...(Value.Errors(schema, value) as Iterable<SchemaError>)].flatMap((error) => {
    const { failingKeyword } = error.params as { readonly failingKeyword?: string };
    if (error.keyword !== "if" || failingKeyword === undefined) return [error];
    const path = `${error.schemaPath.replace(/^#/, "")}/${failingKeyword}`;
    const part = valueAt(schema, path);
    if (depth >= CONDITIONS_DEPTH_MAX || typeof part !== "object" || part === null) return [error];
    const inner = withConditions(part as TSchema, valueAt(value, error.instancePath), depth + 1);
    if (inner.length === 0) return [error];
    return inner.map((one) => ({ ...one, instancePath: error.instancePath + one.instancePath }));
  });
}

/** The value at a JSON pointer. Undefined if it does not exist. */
function valueAt(root: unknown, path: string): unknown {
  return pointerSegments(path).reduce<unknown>(
    (value, segment) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, segment)
        ? (value as Readonly<Record<string, unknown>>)[segment]
        : undefined,
    root,
  );
}

/** `/title` is a field of the body, `?limit` of the query, `:id` of the path. */
function requestPath(part: "params" | "query", path: string): string {
  return `${part === "query" ? "?" : ":"}${path.slice(1)}`;
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/**
 * For a union, reports only errors of the type that the value has. If it has none of them, one error names all types.
 */
function withoutOtherTypes(errors: readonly SchemaError[]): SchemaError[] {
  const isOther = ({ keyword, schemaPath }: SchemaError) =>
    keyword === "type" && IN_UNION.test(schemaPath);
  const errorsWithin = (union: string, path: string) =>
    errors.filter(
      ({ schemaPath, instancePath }) =>
        schemaPath.startsWith(`${union}/anyOf/`) && `${instancePath}/`.startsWith(`${path}/`),
    );
  return errors.flatMap((error) => {
    const { keyword, schemaPath, instancePath: path } = error;
    // Errors from its members are more precise.
    if (keyword === "anyOf" && errorsWithin(schemaPath, path).length > 0) return [];
    if (!isOther(error)) return [error];
    const siblings = errorsWithin(schemaPath.replace(IN_UNION, ""), path);
    const others = siblings.filter((sibling) => isOther(sibling) && sibling.instancePath === path);
    if (siblings.some((sibling) => sibling.keyword !== "anyOf" && !others.includes(sibling)))
      return [];
    const types = others.map(({ message }) => message.replace(/^must be (either )?/, ""));
    return [{ ...error, message: `must be ${[...new Set(types)].join(" or ")}` }];
  });
}

const IN_UNION = /(\/anyOf\/\d+)+$/;

function describeError({ keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const names = (key: string): string[] => {
    const list = (params as Readonly<Record<string, unknown>>)[key];
    return Array.isArray(list) ? list.map(String) : [];
  };
  switch (keyword) {
    case "required":
      return names("requiredProperties").map((name) => ({
        path: jsonPointer(instancePath, name),
        message: "is required",
      }));
    case "additionalProperties":
      return names("additionalProperties").map((name) => ({
        path: jsonPointer(instancePath, name),
        message: "is not a known field",
      }));
    case "enum":
      return [
        { path: instancePath, message: `must be one of ${names("allowedValues").join(", ")}` },
      ];
    case "pattern":
      return [
        {
          path: instancePath,
          message: describePattern((params as { readonly pattern?: unknown }).pattern),
        },
      ];
    case "minProperties":
      return [{ path: instancePath, message: "must contain at least one field" }];
    case "boolean":
      return [];
    default:
      return [{ path: instancePath, message }];
  }
}

const PATTERN_CHARACTERS_MAX = 100;

/** Describes the pattern if it is readable. */
function describePattern(pattern: unknown): string {
  const source = pattern instanceof RegExp ? pattern.source : pattern;
  const text = typeof source === "string" ? source : "";
  // A look-ahead was added by the platform around the user's pattern.
  const isShown = text !== "" && text.length <= PATTERN_CHARACTERS_MAX && !text.includes("(?");
  return `does not have the right form${isShown ? `: ${text}` : ""}`;
}
