/** Components of pages: the fields of each type, and the children of containers. */
import Type, { type TProperties } from "typebox";
import { line } from "#kernel/schema/schema.ts";
import { type Action, BindableText, BindableJson, SourceName } from "./action.ts";

const OPTIONS_MAX = 200;
const LIST_MAX = 50;

const FORMATS = [
  "text",
  "number",
  "money",
  "date",
  "datetime",
  "boolean",
  "badge",
  "link",
  "file",
  "image",
] as const;
const INPUTS = [
  "text",
  "textarea",
  "number",
  "checkbox",
  "select",
  "date",
  "datetime",
  "email",
  "url",
  "file",
] as const;
/** Inputs that only a form has. */
const FORM_INPUTS: readonly string[] = ["select", "textarea", "file"];
export type InputKind = (typeof INPUTS)[number];

/** The field name of a record, an input or a form. */
const FieldName = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$" });
/** The path of a value in a row: names separated by dots. */
const FieldPath = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+){0,5}$",
  maxLength: 200,
  "x-reference": "field",
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
        object({ value: Type.String({ maxLength: 500 }), label: BindableText }),
      ]),
      { maxItems: OPTIONS_MAX },
    ),
    BindableText,
  ],
  { description: "Strings or `{ value, label }`, or a binding for such a list" },
);
const displayField = {
  field: FieldPath,
  label: Type.Optional(BindableText),
  format: Type.Optional(Type.Enum([...FORMATS])),
};
const button = {
  label: BindableText,
  action: BindableJson,
  confirm: Type.Optional(BindableText),
  style: Style,
};
const Children = Type.Array(Type.Unknown());
/** The action on a click on a row, a card or a day. */
const rowAction = Type.Optional(BindableJson);
const title = Type.Optional(BindableText);
const empty = Type.Optional(BindableText);

/** Validation of a form field, besides that of its input type. */
const checks = {
  min: Type.Optional(Type.Number({ description: "For a number" })),
  max: Type.Optional(Type.Number({ description: "For a number" })),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 20_000 })),
  format: Type.Optional(
    line(60, "Input mask: `#` is a digit, `A` a letter, `*` either. Other characters are literal"),
  ),
  when: Type.Optional(
    object({
      field: FieldName,
      is: Type.Array(Type.Union([Type.String({ maxLength: 500 }), Type.Boolean()]), {
        minItems: 1,
        maxItems: 20,
      }),
    }),
  ),
};

/** The fields of each component type, besides the common ones. */
export const COMPONENTS: Readonly<Record<string, TProperties>> = {
  text: {
    text: BindableText,
    style: Type.Optional(Type.Enum(["body", "heading", "subheading", "muted"])),
  },
  markdown: { text: Type.String({ maxLength: 50_000 }) },
  table: {
    dataSource: SourceName,
    title,
    columns: Type.Optional(
      list({
        ...displayField,
        edit: Type.Optional(
          Type.Boolean({ description: "Whether users can edit the column in the table" }),
        ),
        options: Type.Optional(Options),
      }),
    ),
    search: Type.Optional(Type.Boolean()),
    sortable: Type.Optional(
      Type.Boolean({ default: true, description: "Whether users can sort by the column headings" }),
    ),
    total: Type.Optional(Type.Boolean({ description: "Whether to show the total number of rows" })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    select: Type.Optional(
      Type.Enum(["one", "many"], {
        description: "The ids of selected rows are `selected.<id of this table>`",
      }),
    ),
    rowAction,
    rowActions: Type.Optional(Type.Array(object(button), { maxItems: 5 })),
    bulkActions: Type.Optional(
      Type.Array(object(button), {
        maxItems: 5,
        description: "Runs for each selected row, as `row`, in a table whose `select` is `many`",
      }),
    ),
    empty,
  },
  form: {
    title,
    dataSource: Type.Optional(SourceName),
    fields: list({
      name: FieldName,
      label: Type.Optional(BindableText),
      input: Type.Optional(Type.Enum([...INPUTS])),
      required: Type.Optional(Type.Boolean()),
      options: Type.Optional(Options),
      default: Type.Optional(BindableJson),
      help: Type.Optional(BindableText),
      ...checks,
    }),
    submit: BindableJson,
    submitLabel: Type.Optional(BindableText),
  },
  detail: {
    dataSource: SourceName,
    title,
    fields: Type.Optional(list(displayField)),
  },
  button,
  chart: {
    dataSource: SourceName,
    kind: Type.Optional(
      Type.Enum(["bar", "line", "area", "stacked", "pie"], {
        description: "Default: the chart type of the report, or bars",
      }),
    ),
    x: Type.Optional(FieldPath),
    y: Type.Optional(FieldPath),
    series: Type.Optional(FieldPath),
    title,
  },
  board: {
    dataSource: SourceName,
    title,
    groupBy: FieldPath,
    columns: Type.Optional(Options),
    cardTitle: FieldPath,
    fields: Type.Optional(list(displayField)),
    move: Type.Optional(
      Type.Boolean({ description: "Whether users can move cards between columns" }),
    ),
    rowAction,
    empty,
  },
  calendar: {
    dataSource: SourceName,
    title,
    date: FieldPath,
    cardTitle: FieldPath,
    rowAction,
  },
  image: {
    src: Type.String({
      maxLength: 10_000,
      description: "A file of a record, such as `{{ data.item.photo }}`, or a URL on this server",
      "x-template": true,
    }),
    alt: BindableText,
    width: Type.Optional(Type.Enum(["small", "medium", "full"])),
  },
  stat: {
    label: BindableText,
    value: BindableJson,
    format: Type.Optional(Type.Enum([...FORMATS])),
  },
  tabs: { tabs: list({ title: line(200), components: Children }) },
  columns: {
    columns: list({
      width: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 12, description: "Width in twelfths" }),
      ),
      components: Children,
    }),
  },
  modal: { title: BindableText, openLabel: BindableText, components: Children },
  input: {
    name: FieldName,
    label: BindableText,
    input: Type.Optional(Type.Enum(INPUTS.filter((kind) => !FORM_INPUTS.includes(kind)))),
    default: Type.Optional(BindableJson),
  },
  select: {
    name: FieldName,
    label: BindableText,
    options: Options,
    default: Type.Optional(BindableJson),
  },
};

/** The fields of every component. */
export const COMPONENT_COMMON: TProperties = {
  id: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
      description: "Id for actions and requests. Default: derived from the position",
    }),
  ),
  visible: Type.Optional(
    Type.Union([Type.Boolean(), BindableText], {
      description: "The component is hidden if the value is false or empty",
    }),
  ),
};

/** A component of a validated definition. */
export interface Component {
  readonly type: string;
  readonly id?: string;
  readonly dataSource?: string;
  readonly [field: string]: unknown;
}

/** A list of child components, with its JSON pointer within the component. */
export interface ChildList {
  readonly pointer: string;
  readonly components: readonly unknown[];
}

/** The child lists of a component, which may be invalid. */
export function childrenOf(component: Readonly<Record<string, unknown>>): ChildList[] {
  const { type } = component;
  if (type === "modal")
    return [{ pointer: "/components", components: arrayOf(component["components"]) }];
  if (type !== "tabs" && type !== "columns") return [];
  return arrayOf(component[type]).map((part, index) => ({
    pointer: `/${type}/${index}/components`,
    components: arrayOf((Object(part) as Record<string, unknown>)["components"]),
  }));
}

/** The actions of a component, which may be invalid, with their JSON pointers. */
export function actionsOf(
  component: Readonly<Record<string, unknown>>,
): { readonly pointer: string; readonly action: unknown }[] {
  const { type } = component;
  if (type === "button") return [{ pointer: "/action", action: component["action"] }];
  if (type === "form") return [{ pointer: "/submit", action: component["submit"] }];
  const row = component["rowAction"];
  const pressed = row === undefined ? [] : [{ pointer: "/rowAction", action: row }];
  if (type !== "table") return ROWS.has(String(type)) ? pressed : [];
  const buttons = BUTTON_LISTS.flatMap((name) =>
    arrayOf(component[name]).map((entry, index) => ({
      pointer: `/${name}/${index}/action`,
      action: (Object(entry) as Record<string, unknown>)["action"],
    })),
  );
  return [...pressed, ...buttons];
}

/** The button lists of a table. */
const BUTTON_LISTS = ["rowActions", "bulkActions"] as const;

/** Other components that show clickable rows. */
const ROWS: ReadonlySet<string> = new Set(["board", "calendar"]);

/**
 * The fields of a component that are evaluated: without children, actions, type, id and source. The component may
 * be invalid.
 */
export function ownPropsOf(component: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, id: _, dataSource: __, submit: ___, rowAction: ____, ...rest } = component;
  const props: Record<string, unknown> = rest;
  if (type === "button") delete props["action"];
  if (type === "modal") delete props["components"];
  if (type === "tabs" || type === "columns") props[type] = omitField(props[type], "components");
  for (const name of type === "table" ? BUTTON_LISTS : []) {
    if (props[name] !== undefined) props[name] = omitField(props[name], "action");
  }
  return props;
}

/** Removes one field from the items of a list. */
function omitField(list: unknown, field: string): object[] {
  return arrayOf(list).map((part) =>
    Object.fromEntries(
      Object.entries(Object(part) as Record<string, unknown>).filter(([name]) => name !== field),
    ),
  );
}

/** A component with its position in the page. */
export interface PlacedComponent {
  readonly component: Component;
  /** Its own id or, without one, an id derived from its position. */
  readonly id: string;
  /** Its JSON pointer within the page's `components`. */
  readonly pointer: string;
}

/** All components of a validated page, parents first. */
export function* walkComponents(
  components: readonly unknown[],
  pointer = "",
): Generator<PlacedComponent> {
  for (const [index, item] of components.entries()) {
    // It was validated when it was saved.
    const component = item as Component;
    const at = `${pointer}/${index}`;
    yield { component, id: component.id ?? idFromPointer(at), pointer: at };
    for (const children of childrenOf(component))
      yield* walkComponents(children.components, at + children.pointer);
  }
}

/** A generated id that users cannot enter, stable as long as the page does not change. */
export function idFromPointer(pointer: string): string {
  return `_${pointer.replaceAll(/[^0-9]+/g, "-").replace(/^-/, "")}`;
}

/** Finds the action of a component by a pointer such as `/action` or `/rowActions/0/action`. */
export function findAction(component: Component, pointer: string): Action | undefined {
  const found = actionsOf(component).find((item) => item.pointer === pointer);
  return found && (found.action as Action);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
