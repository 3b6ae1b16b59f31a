import type { TSchema } from "typebox";
import { IS_THOROUGH } from "./thorough.ts";

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}
interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

const JUNK_IDS = [
  "x",
  "0",
  "null",
  "...",
  "%",
  "a/b",
  "' or 1=1 --",
  "é\u202e",
  "evt_00000000000000000000000",
  `${"9".repeat(400)}`,
  "__proto__",
];

/** So many of them for one parameter, and so many values of another type for one field. */
const JUNK_IDS_TRIED = 4;
const OTHER_TYPES_TRIED = 1;

let turn = 0;

/** A few in turn, the same in every run, or all where there is time: over all operations each of them comes often. */
function takeTurns<T>(all: readonly T[], count: number): readonly T[] {
  if (IS_THOROUGH || all.length <= count) return all;
  const from = turn % all.length;
  turn += count;
  return [...all, ...all].slice(from, from + count);
}

/** Paths with one parameter made into something that can't be anybody's. */
export function* hostileParams(
  schema: TSchema | undefined,
  sample: Readonly<Record<string, string>> = {},
): Generator<Record<string, string>> {
  for (const name of Object.keys((schema as ObjectSchema | undefined)?.properties ?? {})) {
    for (const junk of takeTurns(JUNK_IDS, JUNK_IDS_TRIED)) yield { ...sample, [name]: junk };
    // Well-formed, but of nothing that exists.
    const value = sample[name] ?? "";
    yield { ...sample, [name]: value.replace(/.{4}$/, "0000") };
  }
}

/** Bodies with one thing wrong, each of which must be refused with the path of the fault. */
export function* hostileBodies(
  schema: TSchema | undefined,
  sample: Readonly<Record<string, unknown>> = {},
): Generator<unknown> {
  if (!schema) {
    yield { unheard: "of" };
    return;
  }
  const { properties = {}, required = [] } = schema as ObjectSchema;
  yield [];
  yield 42;
  yield { ...sample, unheard: "of" };
  for (const name of required) {
    const { [name]: _, ...rest } = sample;
    yield rest;
  }
  for (const [name, property] of Object.entries(properties)) {
    for (const wrong of wrongValues(property)) yield { ...sample, [name]: wrong };
  }
}

function* wrongValues(property: PropertySchema): Generator<unknown> {
  const types = [property.type ?? []].flat();
  if (types.length > 0 || property.enum) {
    const others: unknown[] = [];
    if (!types.includes("object")) others.push({ nested: true });
    if (!types.includes("array")) others.push([[]]);
    if (!types.includes("boolean")) others.push(true);
    if (!types.includes("number") && !types.includes("integer")) others.push(1e308);
    yield* takeTurns(others, OTHER_TYPES_TRIED);
    if (!types.includes("null")) yield null;
  }
  if (types.includes("integer")) yield 1.5;
  if (types.includes("string")) yield "NUL \u0000 inside";
  if (types.includes("string")) yield "half a pair \ud800";
  if (property.maxLength !== undefined) yield "x".repeat(property.maxLength + 1);
  if (property.enum) yield "none of these";
}
