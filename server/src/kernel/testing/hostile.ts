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

/** The number of invalid values per parameter, and of wrong types per field. */
const JUNK_IDS_TRIED = 2;
const OTHER_TYPES_TRIED = 1;

let turn = 0;

/** A few in rotation, the same in every run, or all in thorough runs: over all operations, each is used often. */
function takeTurns<T>(all: readonly T[], count: number): readonly T[] {
  if (IS_THOROUGH || all.length <= count) return all;
  const from = turn % all.length;
  turn += count;
  return [...all, ...all].slice(from, from + count);
}

/** Paths with one parameter replaced by an invalid value. */
export function* hostileParams(
  schema: TSchema | undefined,
  sample: Readonly<Record<string, string>> = {},
): Generator<Record<string, string>> {
  for (const name of Object.keys((schema as ObjectSchema | undefined)?.properties ?? {})) {
    for (const junk of takeTurns(JUNK_IDS, JUNK_IDS_TRIED)) yield { ...sample, [name]: junk };
    // Well-formed ids that do not exist.
    const value = sample[name] ?? "";
    yield { ...sample, [name]: value.replace(/.{4}$/, "0000") };
  }
}

type Body = Readonly<Record<string, unknown>>;

/** Bodies that are invalid as a whole. Each must be rejected. */
export function hostileBodies(schema: TSchema | undefined, sample: Body = {}): readonly unknown[] {
  const unheard = { ...(schema && sample), unheard: "of" };
  return schema ? [...takeTurns([[], 42], 1), unheard] : [unheard];
}

/** One error in a body, which must be rejected with the path of this field. */
export interface Fault {
  readonly field: string;
  readonly applyTo: (body: Body) => Body;
}

/** The maximum reported at once: TypeBox reports at most eight errors. */
const FAULTS_AT_ONCE = 7;

/** Errors in different fields that one body can combine. The response must report each. */
export function hostileFaults(schema: TSchema | undefined): readonly (readonly Fault[])[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  const missing = required.map((field) => ({ field, applyTo: omit(field) }));
  const wrong = Object.entries(properties).map(([field, property]) =>
    [...wrongValues(property)].map((value) => ({
      field,
      applyTo: (body: Body) => ({ ...body, [field]: value }),
    })),
  );
  const rounds = Array.from({ length: Math.max(0, ...wrong.map(({ length }) => length)) }, (_, n) =>
    wrong.flatMap((faults) => faults[n] ?? []),
  );
  return [missing, ...rounds].flatMap((faults) => chunk(faults, IS_THOROUGH ? 1 : FAULTS_AT_ONCE));
}

const omit =
  (field: string) =>
  ({ [field]: _, ...rest }: Body): Body =>
    rest;

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
    all.slice(n * size, (n + 1) * size),
  );
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
