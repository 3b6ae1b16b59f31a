/** Custom fields while the user edits them, and the resulting form. */
import { TICKET_FIELD_TYPE } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import type { Schemas } from "../../data/api.ts";
import type { Schema } from "../../form/index.ts";

export type OwnField = Schemas["TicketField"];

export const TYPES = choicesOf(TICKET_FIELD_TYPE, {
  text: "Text",
  number: "Number",
  choice: "Single choice",
  boolean: "Checkbox",
  date: "Date",
  user: "Person",
});

const KEY_MAX = 40;

/** Derives the key of a field from its name: `Serial number` becomes `serialNumber`. It stays when the name changes. */
export function toKey(name: string, taken: readonly string[]): string {
  const words = name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z0-9 ]+/g, "")
    .trim()
    .split(/\s+/);
  const joined = words
    .map((word, n) => (n === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("")
    .replace(/^[^a-z]+/, "");
  const base = (joined === "" ? "field" : joined).slice(0, KEY_MAX - 2);
  if (!taken.includes(base)) return base;
  const free = Array.from({ length: taken.length + 1 }, (_, n) => `${base}${n + 2}`);
  return free.find((key) => !taken.includes(key)) ?? base;
}

/** Omits empty texts, and choices of fields without choices. */
export function toSentField(field: OwnField): OwnField {
  const { choices = [], help = "", ...rest } = field;
  const kept = choices.map((one) => one.trim()).filter(Boolean);
  return {
    ...rest,
    ...(help.trim() !== "" && { help: help.trim() }),
    ...(field.type === "choice" && { choices: kept }),
  };
}

const FIELD_SCHEMAS: Readonly<Record<OwnField["type"], Schema>> = {
  text: { type: "string" },
  number: { type: "number" },
  choice: { type: "string" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  user: { type: "string" },
};

/** Returns the schema for the preview of the form. */
export function toSchema(fields: readonly OwnField[]): Schema {
  const named = fields.filter(({ name }) => name.trim() !== "");
  return {
    type: "object",
    properties: Object.fromEntries(
      named.map(({ key, name, type, choices, help }) => [
        key,
        {
          ...FIELD_SCHEMAS[type],
          title: name,
          ...(help !== undefined && { description: help }),
          ...(type === "choice" && { enum: (choices ?? []).filter((one) => one.trim() !== "") }),
        },
      ]),
    ),
    required: named.filter(({ isRequired }) => isRequired === true).map(({ key }) => key),
  };
}
