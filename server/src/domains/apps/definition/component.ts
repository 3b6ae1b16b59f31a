/** What a page is made of: the fields of each type of component, and what stands inside of it. */
import Type, { type TProperties } from "typebox";
import { line } from "#kernel/schema/schema.ts";
import { type Action, Bound, BoundJson, SourceName } from "./action.ts";

const OPTIONS_MAX = 200;
const LIST_MAX = 50;

const FORMATS = ["text", "number", "money", "date", "datetime", "boolean", "badge"] as const;
const INPUTS = ["text", "textarea", "number", "checkbox", "select", "date", "datetime"] as const;
export type InputKind = (typeof INPUTS)[number];

/** What a field of a record, an input or a form is called. */
const FieldName = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$" });
/** Where in a row a value is: names with dots between them. */
const FieldPath = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+){0,5}$",
  maxLength: 200,
});

const object = (properties: TProperties) =>
  Type.Object(properties, { additionalProperties: false });
const list = (properties: TProperties) =>
  Type.Array(object(properties), { minItems: 1, maxItems: LIST_MAX });

const Style = Type.Optional(Type.Enum(["primary", "secondary", "danger"]));
const Options = Type.Union(
  [
    Type.Array(
      Type.Union([
        Type.String({ maxLength: 500 }),
        object({ value: Type.String({ maxLength: 500 }), label: Bound }),
      ]),
      { maxItems: OPTIONS_MAX },
    ),
    Bound,
  ],
  { description: "Texts or `{ value, label }`, or one binding that gives such a list" },
);
const shownField = {
  field: FieldPath,
  label: Type.Optional(Bound),
  format: Type.Optional(Type.Enum([...FORMATS])),
};
const button = {
  label: Bound,
  action: BoundJson,
  confirm: Type.Optional(Bound),
  style: Style,
};
const Children = Type.Array(Type.Unknown());

/** The fields of each type of component, beside those that all have. */
export const COMPONENTS: Readonly<Record<string, TProperties>> = {
  text: {
    text: Bound,
    style: Type.Optional(Type.Enum(["body", "heading", "subheading", "muted"])),
  },
  markdown: { text: Type.String({ maxLength: 50_000 }) },
  table: {
    dataSource: SourceName,
    columns: Type.Optional(list(shownField)),
    title: Type.Optional(Bound),
    rowActions: Type.Optional(Type.Array(object(button), { maxItems: 5 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    search: Type.Optional(Type.Boolean()),
    empty: Type.Optional(Bound),
  },
  form: {
    title: Type.Optional(Bound),
    dataSource: Type.Optional(SourceName),
    fields: list({
      name: FieldName,
      label: Type.Optional(Bound),
      input: Type.Optional(Type.Enum([...INPUTS])),
      required: Type.Optional(Type.Boolean()),
      options: Type.Optional(Options),
      default: Type.Optional(BoundJson),
      help: Type.Optional(Bound),
    }),
    submit: BoundJson,
    submitLabel: Type.Optional(Bound),
  },
  detail: {
    dataSource: SourceName,
    title: Type.Optional(Bound),
    fields: Type.Optional(list(shownField)),
  },
  button,
  chart: {
    dataSource: SourceName,
    kind: Type.Enum(["bar", "line", "pie"]),
    x: FieldPath,
    y: FieldPath,
    title: Type.Optional(Bound),
  },
  stat: { label: Bound, value: BoundJson, format: Type.Optional(Type.Enum([...FORMATS])) },
  tabs: { tabs: list({ title: line(200), components: Children }) },
  columns: {
    columns: list({
      width: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, description: "Of twelve" })),
      components: Children,
    }),
  },
  modal: { title: Bound, openLabel: Bound, components: Children },
  input: {
    name: FieldName,
    label: Bound,
    input: Type.Optional(
      Type.Enum(INPUTS.filter((kind) => kind !== "select" && kind !== "textarea")),
    ),
    default: Type.Optional(BoundJson),
  },
  select: { name: FieldName, label: Bound, options: Options, default: Type.Optional(BoundJson) },
};

/** What every component may have. */
export const COMPONENT_COMMON: TProperties = {
  id: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
      description: "What actions and requests name it by; made of its place when absent",
    }),
  ),
  visible: Type.Optional(
    Type.Union([Type.Boolean(), Bound], { description: "Not shown where it is false or nothing" }),
  ),
};

/** A component of a definition that was checked. */
export interface Component {
  readonly type: string;
  readonly id?: string;
  readonly dataSource?: string;
  readonly [field: string]: unknown;
}

/** One list of components inside of another, by its JSON pointer within that. */
export interface Inner {
  readonly pointer: string;
  readonly components: readonly unknown[];
}

/** The lists that a component holds. It need not be sound. */
export function childrenOf(component: Readonly<Record<string, unknown>>): Inner[] {
  const { type } = component;
  if (type === "modal")
    return [{ pointer: "/components", components: arrayOf(component["components"]) }];
  if (type !== "tabs" && type !== "columns") return [];
  return arrayOf(component[type]).map((part, index) => ({
    pointer: `/${type}/${index}/components`,
    components: arrayOf((Object(part) as Record<string, unknown>)["components"]),
  }));
}

/** The actions that a component may set off, by their JSON pointers within it. It need not be sound. */
export function actionsOf(
  component: Readonly<Record<string, unknown>>,
): { readonly pointer: string; readonly action: unknown }[] {
  const { type } = component;
  if (type === "button") return [{ pointer: "/action", action: component["action"] }];
  if (type === "form") return [{ pointer: "/submit", action: component["submit"] }];
  if (type !== "table") return [];
  return arrayOf(component["rowActions"]).map((row, index) => ({
    pointer: `/rowActions/${index}/action`,
    action: (Object(row) as Record<string, unknown>)["action"],
  }));
}

/** What is evaluated of a component: not what stands inside, nor what it does, nor what it is. It need not be sound. */
export function ownPropsOf(component: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, id: _, dataSource: __, submit: ___, ...rest } = component;
  const own: Record<string, unknown> = rest;
  if (type === "button") delete own["action"];
  if (type === "modal") delete own["components"];
  if (type === "tabs" || type === "columns") own[type] = without(own[type], "components");
  if (type === "table" && own["rowActions"] !== undefined) {
    own["rowActions"] = without(own["rowActions"], "action");
  }
  return own;
}

/** The members of a list without one of their fields. */
function without(list: unknown, field: string): object[] {
  return arrayOf(list).map((part) =>
    Object.fromEntries(
      Object.entries(Object(part) as Record<string, unknown>).filter(([name]) => name !== field),
    ),
  );
}

/** A component with its place in the page. */
export interface PlacedComponent {
  readonly component: Component;
  /** Its own id or, without one, one made of its place. */
  readonly id: string;
  /** Its JSON pointer within the page's `components`. */
  readonly pointer: string;
}

/** All components of a page that was checked, outer ones first. */
export function* componentsIn(
  components: readonly unknown[],
  pointer = "",
): Generator<PlacedComponent> {
  for (const [index, one] of components.entries()) {
    // It was checked when it was saved.
    const component = one as Component;
    const at = `${pointer}/${index}`;
    yield { component, id: component.id ?? idOfPlace(at), pointer: at };
    for (const inner of childrenOf(component))
      yield* componentsIn(inner.components, at + inner.pointer);
  }
}

/** An id that no component can be given, the same as long as the page is. */
export function idOfPlace(pointer: string): string {
  return `_${pointer.replaceAll(/[^0-9]+/g, "-").replace(/^-/, "")}`;
}

/** The action of a component at a pointer such as `/action` or `/rowActions/0/action`. */
export function actionAt(component: Component, pointer: string): Action | undefined {
  const found = actionsOf(component).find((one) => one.pointer === pointer);
  return found && (found.action as Action);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
