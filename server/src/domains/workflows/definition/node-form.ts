/**
 * Form metadata of node types and triggers. Each type declares its own, so that palettes, forms and completion need
 * no separate list. Hints are published as keywords of the JSON Schema.
 */
import Type, { type TSchema } from "typebox";

/** The groups of the node palette, in display order. */
export const NODE_GROUPS = [
  "Flow",
  "Shape",
  "Data",
  "AI",
  "Outside",
  "People",
  "Time",
  "Code",
  "Connectors",
  "Workflows",
] as const;
export type NodeGroup = (typeof NODE_GROUPS)[number];

/** The kinds of objects that a field can reference, for pickers. */
export type FieldReference =
  | "approver"
  | "artifact"
  | "column"
  | "connector"
  | "connector_action"
  | "event_type"
  | "model"
  | "query"
  | "report"
  | "secret"
  | "table"
  | "team"
  | "topic"
  | "user"
  | "workflow";

/** The hints for one field of a form. */
export interface FieldHints {
  readonly title: string;
  readonly placeholder?: string;
  readonly example?: unknown;
  /** The text can have several lines. */
  readonly multiline?: true;
  readonly unit?: string;
  /** The language of the text, for the editor. */
  readonly language?: "javascript";
  readonly reference?: FieldReference;
  /** For an object with free names: the kind of object that each of these fields references. */
  readonly references?: Readonly<Record<string, FieldReference>>;
  /** The field is used only if another field has one of these values. */
  readonly when?: Readonly<Record<string, readonly string[]>>;
}

/** The title, icon, initial configuration, and fields in form order. */
export interface NodeForm {
  readonly title: string;
  readonly group: NodeGroup;
  /** A Lucide icon name. */
  readonly icon: string;
  /** The configuration of a new node. Fields without a useful default are empty. */
  readonly first: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldHints>>;
}

export type FormFields = NodeForm["fields"];

/** Adds the hints of fields as schema keywords, and their order. */
export function schemaWithHints(schema: TSchema, fields: FormFields): TSchema {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  const hinted = Object.entries(properties).map(([name, field]): [string, TSchema] => {
    const hints = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return [name, hints ? Type.Unsafe({ ...field, ...toKeywords(hints) }) : field];
  });
  return Type.Unsafe({
    ...schema,
    properties: Object.fromEntries(hinted),
    "x-order": Object.keys(fields),
  });
}

function toKeywords(hints: FieldHints): Readonly<Record<string, unknown>> {
  const { title, placeholder, example, multiline, unit, language, reference, references, when } =
    hints;
  return {
    title,
    ...(placeholder !== undefined && { "x-placeholder": placeholder }),
    ...(example !== undefined && { examples: [example] }),
    ...(multiline && { "x-multiline": true }),
    ...(unit !== undefined && { "x-unit": unit }),
    ...(language !== undefined && { "x-language": language }),
    ...(reference !== undefined && { "x-reference": reference }),
    ...(references !== undefined && { "x-references": references }),
    ...(when !== undefined && { "x-when": when }),
  };
}
