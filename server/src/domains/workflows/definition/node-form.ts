/**
 * The looks of node types and triggers in a console: declared beside each type, so that a palette, a form and
 * completion need no list of their own. Hints travel as keywords of the published JSON Schema.
 */
import Type, { type TSchema } from "typebox";

/** The groups of a palette, in the order in which it shows them. */
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

/** The kinds of things that a field may name, for a picker. */
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
  /** The text has several lines. */
  readonly multiline?: true;
  readonly unit?: string;
  /** The language of a text, for an editor. */
  readonly language?: "javascript";
  readonly reference?: FieldReference;
  /** Of an object whose names are free: what the values of these names name. */
  readonly references?: Readonly<Record<string, FieldReference>>;
  /** It matters only where another field has one of these values. */
  readonly when?: Readonly<Record<string, readonly string[]>>;
}

/** A title, an icon, a first configuration, and the fields in the order of a form. */
export interface NodeForm {
  readonly title: string;
  readonly group: NodeGroup;
  /** A name among those of Lucide. */
  readonly icon: string;
  /** The configuration of a new node; what only its author can know is empty. */
  readonly first: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldHints>>;
}

export type FormFields = NodeForm["fields"];

/** A schema with the hints of its fields as keywords, and their order. */
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
