/**
 * Generates the largest valid input: the longest lists and texts, the highest numbers, every optional field. Values
 * that a schema does not define, such as an id, a pattern or a condition, are taken from a valid sample.
 */
import type { TSchema } from "typebox";

/** The remaining size of a body. The parser rejects larger ones before any operation. */
interface Room {
  values: number;
  characters: number;
}

const VALUES_MAX = 60_000;
const CHARACTERS_MAX = 700_000;
/** For lists and texts without a limit. */
const ITEMS_MAX = 2_000;
const LENGTH_MAX = 20_000;
const DEPTH_MAX = 8;

interface AnySchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly AnySchema[];
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly items?: AnySchema;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
}

/** The largest value of a schema. Undefined if neither the schema nor the sample defines the values. */
export function largestValue(schema: TSchema, sample?: unknown): unknown {
  const room = { values: VALUES_MAX, characters: CHARACTERS_MAX };
  return largest(schema, sample, room, 0);
}

function largest(schema: AnySchema, sample: unknown, room: Room, depth: number): unknown {
  room.values -= 1;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return sample ?? schema.enum[0];
  if (schema.anyOf) return largestOfAny(schema.anyOf, sample, room, depth);
  const type = [schema.type ?? []].flat().find((name) => name !== "null");
  if (type === "string") return largestText(schema, sample, room);
  if (type === "integer" || type === "number") return largestNumber(schema, sample);
  if (type === "boolean") return sample ?? true;
  if (type === "array") return largestList(schema, sample, room, depth);
  if (type === "object" && schema.properties) return largestObject(schema, sample, room, depth);
  return sample;
}

function largestOfAny(
  variants: readonly AnySchema[],
  sample: unknown,
  room: Room,
  depth: number,
): unknown {
  const kind = Array.isArray(sample) ? "array" : typeof sample;
  const like = variants.find(({ type }) => [type ?? []].flat().includes(kind));
  const variant = like ?? variants.findLast(({ type }) => type !== "null");
  return variant && largest(variant, sample, room, depth);
}

function largestText(schema: AnySchema, sample: unknown, room: Room): unknown {
  // All texts of a fixed format have a similar size.
  if (schema.pattern !== undefined || schema.format !== undefined) return sample;
  const length = Math.min(schema.maxLength ?? LENGTH_MAX, LENGTH_MAX, Math.max(1, room.characters));
  room.characters -= length;
  const base = typeof sample === "string" ? sample : "";
  return base.padEnd(length, "a b c d e f ").slice(0, length).trimEnd().padEnd(length, "x");
}

function largestNumber(schema: AnySchema, sample: unknown): unknown {
  return schema.maximum ?? schema.exclusiveMaximum ?? sample ?? schema.minimum ?? 1;
}

function largestList(schema: AnySchema, sample: unknown, room: Room, depth: number): unknown {
  const samples = Array.isArray(sample) ? (sample as unknown[]) : [];
  const { items, maxItems = ITEMS_MAX } = schema;
  if (!items || depth > DEPTH_MAX) return sample;
  const list: unknown[] = [];
  for (let index = 0; index < Math.min(maxItems, ITEMS_MAX); index += 1) {
    const before = { ...room };
    const value = largest(items, samples[index % Math.max(1, samples.length)], room, depth + 1);
    if (value === undefined) return samples.length > 0 ? samples : undefined;
    list.push(distinct(value, index));
    // The remaining size is shared with the other fields.
    const [values, characters] = [before.values - room.values, before.characters - room.characters];
    if (room.values < values || room.characters < characters) break;
  }
  if (!schema.uniqueItems) return list;
  return [...new Map(list.map((value) => [JSON.stringify(value), value])).values()];
}

/** Members of a list often need unique names. */
function distinct(value: unknown, index: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const named = Object.entries(value).map(([key, part]) => {
    const isName = ["id", "name", "slug", "key", "as"].includes(key) && typeof part === "string";
    // Ids are kept unchanged.
    if (!isName || /^[a-z]{2,5}_[0-9a-z]{26}$/.test(part)) return [key, part];
    return [key, `${part.slice(0, 12).trimEnd().replaceAll(" ", "_")}${index}`];
  });
  return Object.fromEntries(named);
}

function largestObject(schema: AnySchema, sample: unknown, room: Room, depth: number): unknown {
  const given = Object(sample) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, largest(property, given[name], room, depth + 1)] as const,
  );
  const known = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return { ...given, ...known };
}
