/** The parameters of a saved query: `$1` is the first of them, and callers may say its name. */
import Type, { type Static } from "typebox";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { COLUMN_TYPES_BY_NAME } from "#domains/tables/columns/registry.ts";
import type { Column } from "#domains/tables/table.ts";

export const PARAMETERS_MAX = 100;

const PARAMETER_TYPES = [
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "json",
] as const;

export const Parameter = object(
  {
    name: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,62}$" }),
    type: Type.Optional(
      Type.Enum([...PARAMETER_TYPES], {
        description: "What a value, or each value of a list, must be; anything when absent",
      }),
    ),
    default: Type.Optional(Type.Unknown({ description: "Taken where a run gives no value" })),
  },
  { title: "QueryParameter" },
);
export type Parameter = Static<typeof Parameter>;

/** What a run gives: the values in their order, or by the names of the parameters. */
export type Given = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The values for a statement's `$1`, `$2` and so on; fails with the path of each fault. */
export function valuesOf(parameters: readonly Parameter[], given: Given): unknown[] {
  const faults: FieldError[] = surplusOf(parameters, given);
  const values = parameters.map((parameter, index) => {
    const path = `/params/${Array.isArray(given) ? index : parameter.name}`;
    const said = givenFor(parameter, index, given);
    const value = said === undefined ? parameter.default : said;
    if (value === undefined) faults.push({ path, message: "is required" });
    const read = readValue(parameter, value);
    if ("fault" in read) faults.push({ path, message: read.fault });
    return "fault" in read ? null : read.value;
  });
  throwIfAny(faults);
  return values;
}

/** What is wrong with a query's parameters, when its statement has places of these numbers. */
export function parameterFaults(
  parameters: readonly Parameter[],
  places: ReadonlySet<number>,
): FieldError[] {
  const faults: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name, ...parameter }] of parameters.entries()) {
    const path = `/parameters/${index}`;
    if (names.has(name)) faults.push({ path: `${path}/name`, message: "comes more than once" });
    names.add(name);
    if (!places.has(index + 1)) {
      faults.push({ path, message: `the statement has no $${index + 1}` });
    }
    if (parameter.default === undefined) continue;
    const read = readValue({ name, ...parameter }, parameter.default);
    if ("fault" in read) faults.push({ path: `${path}/default`, message: read.fault });
  }
  for (const number of places) {
    if (number < 1 || number > parameters.length) {
      faults.push({ path: "/parameters", message: `has nothing for $${number}` });
    }
  }
  return faults;
}

/** Parameters for a statement whose author named none. */
export function nameless(places: ReadonlySet<number>): Parameter[] {
  const count = Math.min(Math.max(0, ...places), PARAMETERS_MAX);
  return Array.from({ length: count }, (_, index) => ({ name: `p${index + 1}` }));
}

export function throwIfAny(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}

function givenFor({ name }: Parameter, index: number, given: Given): unknown {
  if (Array.isArray(given)) return given[index];
  return Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
}

function surplusOf(parameters: readonly Parameter[], given: Given): FieldError[] {
  const known = Array.isArray(given)
    ? parameters.map((_, index) => String(index))
    : parameters.map(({ name }) => name);
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: `/params/${key}`, message: "is not a parameter of this query" }));
}

type ReadValue = { readonly value: unknown } | { readonly fault: string };

function readValue({ type }: Parameter, value: unknown): ReadValue {
  if (type === undefined || value === null || value === undefined) return { value: value ?? null };
  if (Array.isArray(value) && type !== "json") {
    const members = value.map((member): ReadValue => readValue({ name: "", type }, member));
    const bad = members.find((member) => "fault" in member);
    return bad ?? { value: members.map((member) => ("value" in member ? member.value : null)) };
  }
  const read = COLUMN_TYPES_BY_NAME[type].read(value, PLAIN);
  return "fault" in read ? read : { value: COLUMN_TYPES_BY_NAME[type].store(read.value) };
}

/** A column that asks nothing of its values beyond their type. */
const PLAIN: Column = {
  name: "value",
  type: "text",
  required: false,
  unique: false,
  indexed: false,
  default: null,
  options: {},
  description: "",
};
