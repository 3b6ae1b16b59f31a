/**
 * The input form of a run: the trigger's schema, or by default the fields that the steps read, with the types of
 * the last input.
 */
import type { Fields, Schema } from "../../../form/index.ts";
import type { Definition } from "../../graph/graph.ts";

export type RunMode = "test" | "run";

export interface RunInput {
  readonly sentAs: "input" | "event";
  readonly schema: Schema;
  readonly first: Fields;
}

/** Returns undefined if the trigger has no input, such as a schedule. */
export function describeInput(
  { trigger, nodes }: Definition,
  known: unknown,
): RunInput | undefined {
  const text = JSON.stringify(nodes);
  const fieldsAt = (path: string, value: unknown): Schema =>
    toObject(findNames(text, path), isFields(value) ? value : {});
  const part = (name: string): unknown => (isFields(known) ? known[name] : undefined);
  const { inputSchema } = trigger;
  if (trigger.type === "schedule" && !inputSchema) return undefined;
  if (trigger.type === "webhook") {
    return {
      sentAs: "input",
      schema: {
        type: "object",
        properties: {
          body: { ...(inputSchema ?? fieldsAt("trigger.input.body", part("body"))), title: "Body" },
          headers: { ...TEXTS, title: "Headers" },
          query: { ...TEXTS, title: "Query" },
        },
      },
      first: { body: {}, headers: {}, query: {} },
    };
  }
  if (trigger.type === "event_bus") {
    const { eventType = "" } = trigger;
    return {
      sentAs: "event",
      schema: {
        type: "object",
        required: ["type"],
        properties: {
          type: { type: "string", title: "Type of the event", "x-placeholder": eventType },
          data: { ...fieldsAt("trigger.event.data", part("data")), title: "Data" },
        },
      },
      first: { ...(eventType !== "" && !eventType.includes("*") && { type: eventType }), data: {} },
    };
  }
  const schema = inputSchema ?? fieldsAt("trigger.input", known);
  return { sentAs: "input", schema, first: {} };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TEXTS: Schema = { type: "object", additionalProperties: { type: "string" } };

/** Accepts a text, a number, a boolean or JSON. */
const OPEN: Schema = {
  type: ["string", "number", "boolean", "object", "array"],
  "x-placeholder": "Text, number or JSON",
};

export const isOpen = ({ type }: Schema): boolean => type === OPEN.type;

/** Returns the names that expressions read below a path, with the names below each. */
export function findNames(text: string, path: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const pattern = new RegExp(
    `\\b${path.replaceAll(".", "\\.")}\\.(\\w+|\`[^\`]+\`)(?:\\.(\\w+|\`[^\`]+\`))?`,
    "g",
  );
  for (const [, name = "", inner] of text.matchAll(pattern)) {
    const key = name.replaceAll("`", "");
    const below = found.get(key) ?? [];
    found.set(key, below);
    if (inner !== undefined) below.push(inner.replaceAll("`", ""));
  }
  return found;
}

/** Makes one field for each name; without names, the value is JSON. */
function toObject(names: ReadonlyMap<string, readonly string[]>, known: Fields): Schema {
  const all = new Set([...names.keys(), ...Object.keys(known)]);
  if (all.size === 0) return {};
  const properties = [...all].map(
    (name) => [name, { ...toField(names.get(name) ?? [], known[name]), title: name }] as const,
  );
  return { type: "object", properties: Object.fromEntries(properties) };
}

function toField(below: readonly string[], known: unknown): Schema {
  if (typeof known === "boolean") return { type: "boolean" };
  if (typeof known === "number") return { type: "number" };
  if (typeof known === "object" && known !== null) return {};
  const example = Object.fromEntries(below.map((name) => [name, ""]));
  return below.length > 0 ? { examples: [example] } : OPEN;
}
