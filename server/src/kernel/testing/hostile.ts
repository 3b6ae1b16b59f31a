import type { TSchema } from "typebox";

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

/** Paths with one parameter made into something that can't be anybody's. */
export function* hostileParams(
  schema: TSchema | undefined,
  sample: Readonly<Record<string, string>> = {},
): Generator<Record<string, string>> {
  for (const name of Object.keys((schema as ObjectSchema | undefined)?.properties ?? {})) {
    for (const junk of JUNK_IDS) yield { ...sample, [name]: junk };
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
    if (!types.includes("object")) yield { nested: true };
    if (!types.includes("array")) yield [[]];
    if (!types.includes("boolean")) yield true;
    if (!types.includes("null")) yield null;
    if (!types.includes("number") && !types.includes("integer")) yield 1e308;
  }
  if (types.includes("integer")) yield 1.5;
  if (types.includes("string")) yield "NUL \u0000 inside";
  if (types.includes("string")) yield "half a pair \ud800";
  if (property.maxLength !== undefined) yield "x".repeat(property.maxLength + 1);
  if (property.enum) yield "none of these";
}
