/** The parameters of a saved query: `$1` is the first, and a run may use their names. */
import Type, { type Static } from "typebox";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { type ParsedParameter, parseParameter } from "#domains/tables/index.ts";

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
        description: "Type of the value or the list values. Default: any",
      }),
    ),
    default: Type.Optional(Type.Unknown({ description: "Default if the run has no value" })),
  },
  { title: "QueryParameter" },
);
export type Parameter = Static<typeof Parameter>;

/** The values of a run, as a list or by parameter name. */
export type ParameterValues = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The values for a statement's `$1`, `$2` and so on; throws with the path of each error. */
export function resolveParameters(
  parameters: readonly Parameter[],
  input: ParameterValues,
): unknown[] {
  const errors: FieldError[] = checkUnknownParameters(parameters, input);
  const values = parameters.map((parameter, index) => {
    const path = `/params/${Array.isArray(input) ? index : parameter.name}`;
    const provided = inputFor(parameter, index, input);
    const value = provided === undefined ? parameter.default : provided;
    if (value === undefined) errors.push({ path, message: "is required" });
    const parsed = parseValue(parameter, value);
    if ("error" in parsed) errors.push({ path, message: parsed.error });
    return "error" in parsed ? null : parsed.value;
  });
  assertNoErrors(errors);
  return values;
}

/** Validates the names and defaults of parameters. */
export function checkDeclarations(parameters: readonly Parameter[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name, ...parameter }] of parameters.entries()) {
    const path = `/parameters/${index}`;
    if (names.has(name)) errors.push({ path: `${path}/name`, message: "appears more than once" });
    names.add(name);
    if (parameter.default === undefined) continue;
    const parsed = parseValue({ name, ...parameter }, parameter.default);
    if ("error" in parsed) errors.push({ path: `${path}/default`, message: parsed.error });
  }
  return errors;
}

/** Validates the parameters of a query, including the numbers used by its statement. */
export function checkParameters(
  parameters: readonly Parameter[],
  numbers: ReadonlySet<number>,
): FieldError[] {
  const errors = checkDeclarations(parameters);
  for (const index of parameters.keys()) {
    if (numbers.has(index + 1)) continue;
    errors.push({ path: `/parameters/${index}`, message: `the statement has no $${index + 1}` });
  }
  for (const number of numbers) {
    if (number < 1 || number > parameters.length) {
      errors.push({ path: "/parameters", message: `has no parameter for $${number}` });
    }
  }
  return errors;
}

/** The parameters of a statement without declarations. */
export function defaultParameters(numbers: ReadonlySet<number>): Parameter[] {
  const count = Math.min(Math.max(0, ...numbers), PARAMETERS_MAX);
  return Array.from({ length: count }, (_, index) => ({ name: `p${index + 1}` }));
}

function inputFor({ name }: Parameter, index: number, input: ParameterValues): unknown {
  if (Array.isArray(input)) return input[index];
  return Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
}

function checkUnknownParameters(
  parameters: readonly Parameter[],
  input: ParameterValues,
): FieldError[] {
  const known = Array.isArray(input)
    ? parameters.map((_, index) => String(index))
    : parameters.map(({ name }) => name);
  return Object.keys(input)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: `/params/${key}`, message: "is not a parameter of this query" }));
}

function parseValue({ type }: Parameter, value: unknown): ParsedParameter {
  if (type === undefined || value === null || value === undefined) return { value: value ?? null };
  if (Array.isArray(value) && type !== "json") {
    const members = value.map((member) => parseValue({ name: "", type }, member));
    const invalid = members.find((member) => "error" in member);
    return invalid ?? { value: members.map((member) => ("value" in member ? member.value : null)) };
  }
  return parseParameter(type, value);
}
