/** The schema of the selected part, without fields that the tree edits. */
import { APP_THEME_MODE } from "@millrace/client/enums";
import { isFields, type Schema } from "../../form/index.ts";
import { type Draft, isComponentAt, readAt } from "../draft/draft.ts";

const FIRST = [
  "dataSource",
  "title",
  "label",
  "text",
  "value",
  "kind",
  "name",
  "options",
  "groupBy",
];
const LAST = ["visible", "id"];

const TITLES: Readonly<Record<string, string>> = {
  dataSource: "Data source",
  openLabel: "Label of the open button",
  rowAction: "On row click",
  rowActions: "Row actions",
  bulkActions: "Bulk actions",
  granted: "Everyone who opens the app can start it",
  submit: "On submit",
  submitLabel: "Submit button label",
  pageSize: "Rows per page",
  groupBy: "Group by",
  cardTitle: "Card title",
  visible: "Visible if",
  id: "Name in bindings",
  x: "X axis",
  y: "Y axis",
  edit: "Users can edit it",
};

/** Returns the type of the part at a pointer. */
export function kindAt(draft: Draft, at: string): string {
  if (at === "/") return "app";
  if (/^\/dataSources\/\d+$/.test(at)) return "source";
  if (/^\/pages\/\d+$/.test(at)) return "page";
  const value = readAt(draft, at);
  return isComponentAt(at) && isFields(value) ? String(value["type"]) : "";
}

/** Returns the type of the data source at a pointer; undefined for other parts. */
export function sourceKindAt(draft: Draft, at: string): unknown {
  return at.startsWith("/dataSources/") ? readAt(draft, `${at}/kind`) : undefined;
}

/** Returns the schema of a part type. It does not depend on the values. */
export function schemaOf(published: Schema, kind: string, sourceKind: unknown): Schema | undefined {
  const defs = published.$defs ?? {};
  if (kind === "app") return APP;
  if (kind === "page") return PAGE;
  if (kind === "source") {
    const variants = defs["dataSource"]?.oneOf ?? [];
    const found = variants.find(({ properties }) => {
      const kindSchema = properties?.["kind"];
      return typeof kindSchema === "object" && kindSchema.const === sourceKind;
    });
    const config = found?.properties?.["config"];
    if (typeof config !== "object") return undefined;
    return {
      type: "object",
      required: ["name", "config"],
      properties: {
        name: { type: "string", title: "Name for bindings" },
        config: { ...config, title: "Settings" },
      },
      $defs: defs,
    };
  }
  const own = defs[kind];
  return own && { ...shapeComponent(own, kind), $defs: defs };
}

function shapeComponent(schema: Schema, kind: string): Schema {
  const { type: _, components: __, ...properties } = schema.properties ?? {};
  const own = Object.entries(properties).map(([name, field]) => {
    if (typeof field !== "object") return [name, field] as const;
    const { description: _hint, ...plain } = field;
    if (name === "dataSource") return [name, { ...plain, title: TITLES[name] ?? "" }] as const;
    if (FOLDED.has(name) && field.type === "array") {
      const title = TITLES[name] !== undefined && { title: TITLES[name] };
      const folded = { ...field, "x-folded": true, ...title };
      return [name, kind === "columns" ? partList(folded) : folded] as const;
    }
    const shown =
      name === "tabs" || (name === "columns" && kind === "columns") ? partList(field) : field;
    return [
      name,
      { ...(TITLES[name] !== undefined && { title: TITLES[name] }), ...shown },
    ] as const;
  });
  const names = own.map(([name]) => name);
  const rest = names.filter((name) => !FIRST.includes(name) && !LAST.includes(name));
  const order = [...FIRST, ...rest, ...LAST].filter((name) => names.includes(name));
  return {
    ...schema,
    title: undefined as unknown as string,
    properties: Object.fromEntries(own),
    required: (schema.required ?? []).filter((name) => name !== "type" && name !== "components"),
    "x-order": order,
  };
}

/** Lists with many entries, each with many fields. */
const FOLDED: ReadonlySet<string> = new Set(["columns", "fields", "rowActions", "bulkActions"]);

/** Returns the container's parts without components. */
function partList(schema: Schema): Schema {
  const { components: _, ...properties } = schema.items?.properties ?? {};
  const required = (schema.items?.required ?? []).filter((name) => name !== "components");
  return { ...schema, items: { ...schema.items, properties, required } };
}

const APP: Schema = {
  type: "object",
  required: ["name", "slug"],
  properties: {
    name: { type: "string", maxLength: 100 },
    slug: {
      type: "string",
      title: "URL path",
      description: "Lowercase letters, digits and hyphens. Example: order-desk",
    },
    description: { type: "string", "x-multiline": true },
    theme: {
      type: "object",
      title: "Theme",
      required: ["accent"],
      properties: {
        accent: { type: "string", title: "Colour", examples: ["#0b6b63"] },
        mode: { enum: APP_THEME_MODE, title: "Colour scheme" },
      },
    },
  },
};

const PAGE: Schema = {
  type: "object",
  required: ["title", "path"],
  properties: {
    title: { type: "string", maxLength: 200 },
    path: { type: "string", description: "`/` is the start page. Example: /orders" },
    menu: { type: "boolean", title: "Show in menu", default: true },
  },
};
