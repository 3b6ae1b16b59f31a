import type { Schema } from "./contract.ts";
import type { Dice } from "./dice.ts";
import { NASTY_NUMBERS, NASTY_TEXTS } from "./nasty.ts";
import { textOf } from "./pattern.ts";
import type { Trove } from "./trove.ts";

/** The sources of invented values. */
export interface Source {
  readonly dice: Dice;
  readonly trove: Trove;
}

const ITEMS_MAX = 3;
const DEPTH_MAX = 6;
const NASTY_SHARE = 0.4;
const PRESENT_SHARE = 0.5;
const ID_PREFIX = /\^?\(?([a-z]{2,4})_\[0-9a-hjkmnp-tv-z\]/;
let words = 0;

/** A value that matches a schema, with ids of existing resources if known. */
export function invent(schema: Schema, source: Source, depth = 0): unknown {
  const { dice } = source;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return invent(dice.pick(options), source, depth);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => invent(part, source, depth));
    return Object.assign({}, ...parts) as unknown;
  }
  if (schema.examples && dice.chance(PRESENT_SHARE)) return dice.pick(schema.examples);
  const types = [schema.type ?? []].flat();
  switch (dice.pickAny(types) ?? (schema.properties ? "object" : "any")) {
    case "string":
      return inventText(schema, source);
    case "integer":
      return Math.round(inventNumber(schema, dice));
    case "number":
      return inventNumber(schema, dice);
    case "boolean":
      return dice.chance(0.5);
    case "null":
      return null;
    case "array":
      return inventList(schema, source, depth);
    case "object":
      return inventObject(schema, source, depth);
    default:
      return dice.pick<unknown>([1, "any", null, { a: [1] }, [], true, dice.pick(NASTY_TEXTS)]);
  }
}

function inventText(schema: Schema, { dice, trove }: Source): string {
  const { pattern, format, minLength = 0, maxLength = 200 } = schema;
  if (pattern !== undefined) {
    const prefix = ID_PREFIX.exec(pattern)?.[1];
    const id = prefix === undefined ? undefined : trove.id(prefix, dice);
    if (id !== undefined && dice.chance(0.95)) return id;
    if (format === "date-time") return instant(dice);
    return textOf(pattern, dice).slice(0, maxLength);
  }
  if (format === "date-time") return instant(dice);
  if (format === "date") return instant(dice).slice(0, 10);
  if (format === "uri") return "http://127.0.0.1:9/nobody";
  if (format === "ipv4") return "127.0.0.1";
  words += 1;
  const text = dice.chance(NASTY_SHARE) ? dice.pick(NASTY_TEXTS) : `Word ${words}`;
  const fitting = text.slice(0, maxLength).toWellFormed();
  return fitting.padEnd(minLength, "x");
}

const DAY_MS = 86_400_000;

function instant(dice: Dice): string {
  return new Date(Date.now() + dice.between(-400, 400) * DAY_MS).toISOString();
}

function inventNumber({ minimum = 0, maximum = 1_000 }: Schema, dice: Dice): number {
  const limits = NASTY_NUMBERS.filter((number) => number >= minimum && number <= maximum);
  if (limits.length > 0 && dice.chance(NASTY_SHARE)) return dice.pick(limits);
  return dice.between(Math.ceil(minimum), Math.floor(Math.min(maximum, minimum + 100)));
}

function inventList(schema: Schema, source: Source, depth: number): unknown[] {
  const { items = {}, minItems = 0, maxItems = ITEMS_MAX } = schema;
  const most = depth > DEPTH_MAX ? minItems : Math.max(minItems, Math.min(maxItems, ITEMS_MAX));
  const count = source.dice.between(minItems, most);
  return Array.from({ length: count }, () => invent(items, source, depth + 1));
}

function inventObject(schema: Schema, source: Source, depth: number): Record<string, unknown> {
  const { properties = {}, required = [], patternProperties = {}, minProperties = 0 } = schema;
  const { dice } = source;
  const made: Record<string, unknown> = {};
  const names = Object.keys(properties);
  const must = new Set([...required, ...names.slice(0, required.length ? 0 : minProperties)]);
  for (const [name, part] of Object.entries(properties)) {
    const wanted = must.has(name) || (depth <= DEPTH_MAX && dice.chance(PRESENT_SHARE));
    if (wanted) made[name] = invent(part, source, depth + 1);
  }
  for (const part of Object.values(patternProperties)) {
    const count = depth > DEPTH_MAX ? 0 : dice.between(0, 2);
    for (let n = 0; n < count; n += 1) made[`key${n}`] = invent(part, source, depth + 1);
  }
  return made;
}
