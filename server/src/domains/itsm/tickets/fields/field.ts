/**
 * Tags and custom fields of tickets. Custom fields are defined per workspace and ticket kind, and are typed and
 * validated.
 */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { line, text } from "#kernel/schema/schema.ts";
import type { TicketKindName } from "../kind.ts";

const TAGS_MAX = 50;
const FIELDS_MAX = 50;
const CHOICES_MAX = 200;
const TEXT_CHARACTERS_MAX = 5_000;

export const Tag = Type.String({
  pattern: "^[^,\\s]([^,\\n]{0,48}[^,\\s])?$",
  description: "At most 50 characters without commas, stored in lower case",
});

/** The label fields of every ticket kind. */
export const labelFields = {
  tags: Type.Array(Tag, { maxItems: TAGS_MAX }),
  fields: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: FIELDS_MAX,
    description:
      "Custom fields by key, see `GET /itsm/kinds/{kind}`. Omitted fields keep their values; null clears a field",
  }),
};
/** These fields in responses and events. Events of earlier versions do not have them. */
export const OptionalLabels = {
  tags: Type.Optional(labelFields.tags),
  fields: Type.Optional(labelFields.fields),
};

export const FIELD_TYPES = ["text", "number", "boolean", "date", "choice", "user"] as const;

export const FieldDefinition = Type.Object(
  {
    key: Type.String({
      pattern: "^[a-z][a-zA-Z0-9]{0,39}$",
      description: "Key of the field in the API. Filters and SLA conditions use `fields.<key>`",
    }),
    name: line(100, "Display name"),
    type: Type.Enum([...FIELD_TYPES]),
    choices: Type.Optional(
      Type.Array(line(100), {
        minItems: 1,
        maxItems: CHOICES_MAX,
        uniqueItems: true,
        description: "Values of a `choice`",
      }),
    ),
    isRequired: Type.Optional(
      Type.Boolean({
        description:
          "Whether agents must fill in the field when they create a ticket. A required field can't be cleared",
      }),
    ),
    help: Type.Optional(text(500)),
  },
  { title: "TicketField", additionalProperties: false },
);
export type FieldDefinition = Static<typeof FieldDefinition>;

export const FieldDefinitions = Type.Array(FieldDefinition, { maxItems: FIELDS_MAX });

/** Reads the custom field definitions in order. */
export async function readFieldDefinitions(
  tx: Tx,
  kind: TicketKindName,
): Promise<readonly FieldDefinition[]> {
  const row = await tx
    .selectFrom("ticket_fields")
    .select("fields")
    .where("kind", "=", kind)
    .executeTakeFirst();
  // Validated by its schema when it was saved.
  return (row?.fields ?? []) as unknown as readonly FieldDefinition[];
}

/** The JSON Schema of a value. */
export function valueSchema({ type, name, choices = [], help }: FieldDefinition): object {
  const about = { title: name, ...(help !== undefined && help !== "" && { description: help }) };
  switch (type) {
    case "text":
      return { ...about, type: "string", maxLength: TEXT_CHARACTERS_MAX };
    case "number":
      return { ...about, type: "number" };
    case "boolean":
      return { ...about, type: "boolean" };
    case "date":
      return { ...about, type: "string", format: "date" };
    case "choice":
      return { ...about, type: "string", enum: choices };
    case "user":
      return { ...about, type: "string", pattern: idPattern("usr") };
  }
}

/** Builds the JSON Schema for custom fields, used in forms. */
export function fieldsSchema(definitions: readonly FieldDefinition[]): object {
  return {
    type: "object",
    properties: Object.fromEntries(definitions.map((one) => [one.key, valueSchema(one)])),
    required: definitions.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    additionalProperties: false,
  };
}
