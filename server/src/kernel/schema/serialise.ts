/** Serialises responses to JSON: filtered by their schemas, and in several event loop turns if they can be large. */
import fastJsonStringify from "fast-json-stringify";
import type { TSchema } from "typebox";
import { TurnTimer } from "../work/turn-timer.ts";

interface AnySchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly patternProperties?: Readonly<Record<string, AnySchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: AnySchema;
}

/** Compiles the serialiser of a response's schema. */
export function compileSerialiser(schema: TSchema): (value: unknown) => string {
  return fastJsonStringify(withoutPatterns(schema as AnySchema) as object);
}

/**
 * Replaces objects with unknown members by any value. The serialiser would match each member name against a pattern,
 * which takes ten times as long as `JSON.stringify` of the whole object and filters nothing.
 */
function withoutPatterns(schema: AnySchema): AnySchema {
  const { properties, patternProperties, items } = schema;
  if (patternProperties && !properties) {
    const [only, ...others] = Object.values(patternProperties);
    return only && others.length === 0 && isAnything(withoutPatterns(only)) ? {} : schema;
  }
  if (properties) {
    const entries = Object.entries(properties).map(([name, one]) => [name, withoutPatterns(one)]);
    return { ...schema, properties: Object.fromEntries(entries) as Record<string, AnySchema> };
  }
  if (!items) return schema;
  const inner = withoutPatterns(items);
  return isAnything(inner) ? {} : { ...schema, items: inner };
}

/** True for a schema that describes a value without limiting it. */
function isAnything(schema: AnySchema): boolean {
  return ![
    "type",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "$ref",
    "const",
    "enum",
    "properties",
    "items",
  ].some((keyword) => keyword in schema);
}

/** Rows are inside the envelope, and dashboard widgets contain further rows. */
const DEPTH_MAX = 8;
/** Longer lists are written in chunks. */
const LIST_ITEMS_MAX = 64;
const PIECE_ITEMS = 8;

/** Serialises a value in several event loop turns. */
export async function stringifyInTurns(value: unknown): Promise<string> {
  const chunks: string[] = [];
  await addChunks(chunks, value, new TurnTimer());
  return chunks.join("");
}

async function addChunks(chunks: string[], value: unknown, turn: TurnTimer): Promise<void> {
  if (!holdsLongList(value, 0)) {
    if (turn.isOver()) await turn.next();
    chunks.push(JSON.stringify(value) ?? "null");
  } else if (!Array.isArray(value)) {
    const members = Object.entries(value as Record<string, unknown>).filter(
      ([, member]) => member !== undefined,
    );
    for (const [index, [name, member]] of members.entries()) {
      chunks.push(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
      await addChunks(chunks, member, turn);
    }
    chunks.push("}");
  } else if (value.length <= LIST_ITEMS_MAX) {
    for (const [index, item] of (value as unknown[]).entries()) {
      chunks.push(index === 0 ? "[" : ",");
      await addChunks(chunks, item, turn);
    }
    chunks.push("]");
  } else {
    for (let at = 0; at < value.length; at += PIECE_ITEMS) {
      if (turn.isOver()) await turn.next();
      chunks.push(at === 0 ? "[" : ",");
      chunks.push(JSON.stringify(value.slice(at, at + PIECE_ITEMS)).slice(1, -1));
    }
    chunks.push("]");
  }
}

/** True for a list or plain object that contains a long list. */
function holdsLongList(value: unknown, depth: number): value is object {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return false;
  if (Array.isArray(value)) {
    return (
      value.length > LIST_ITEMS_MAX ||
      (value as unknown[]).some((item) => holdsLongList(item, depth + 1))
    );
  }
  if ("toJSON" in value) return false;
  return Object.values(value).some((member) => holdsLongList(member, depth + 1));
}
