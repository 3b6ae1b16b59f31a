import Type, { type Static } from "typebox";
import { haveOwnValues } from "#domains/workspaces/index.ts";
import { permission } from "#kernel/access/permission.ts";
import { type FieldError, assertNoErrors, failure } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";

/** The maximum number per workspace. */
export const VARIABLES_MAX = 500;
const NAME_CHARACTERS_MAX = 100;
const VALUE_BYTES_MAX = 16 * 1024;

export const VariableId = id("var");

/** The environments with optional separate values. The main value is production's. */
export const EnvironmentWithOwn = Type.Enum(["staging", "development"]);

export const Value = Type.Unknown({
  description: "Any JSON up to 16 KiB. Do not store secrets here",
});

const fields = {
  name: Type.String({
    pattern: `^${SECRET_NAME}$`,
    maxLength: NAME_CHARACTERS_MAX,
    description: "Letters, digits and underscores. Use it as `{{variables.NAME}}`",
  }),
  value: Value,
};
const furtherFields = {
  description: text(2_000),
  environments: Type.Object(
    { staging: Type.Optional(Value), development: Type.Optional(Value) },
    {
      additionalProperties: false,
      description: "Values that replace `value` in an environment",
    },
  ),
  ownValuesOnly: Type.Boolean({
    description:
      "Whether other environments have only their own value instead of the production value",
  }),
};

export const Variable = Type.Object(
  { id: VariableId, ...fields, ...furtherFields, createdAt: Time, updatedAt: Time },
  { title: "Variable" },
);

const VariableExists = failure(
  "variable_exists",
  409,
  "Another variable has this name.",
  "variables_name",
);
const TooManyVariables = failure(
  "too_many_variables",
  409,
  `A workspace can have at most ${VARIABLES_MAX} variables.`,
);

export const VariablesRead = permission("variables:read", "Read variables, also in workflows", [
  "builder",
]);
export const VariablesWrite = permission("variables:write", "Set and delete variables", [
  "builder",
]);

export const variableResource = resource({
  name: "variable",
  plural: "variables",
  effect: "drastic",
  path: "/api/v1/variables",
  table: "variables",
  idPrefix: "var",
  schema: Variable,
  json: ["value", "environments"],
  ordered: ["value", "environments"],
  input: object({ ...fields, ...Type.Partial(Type.Object(furtherFields)).properties }),
  change: patch({ ...fields, ...furtherFields }),
  defaults: { description: "", environments: {} },
  permissions: { read: VariablesRead, write: VariablesWrite },
  environmentScoped: false,
  list: { order: "name", search: ["name", "description"] },
  unique: VariableExists,
  limit: { max: VARIABLES_MAX, failure: TooManyVariables },
  async check(ctx, input, before) {
    assertNoErrors(sizeErrors(input));
    if (before || input.ownValuesOnly !== undefined) return input;
    return { ...input, ownValuesOnly: await haveOwnValues(ctx) };
  },
  operations: {
    create: {
      effect: "ordinary",
      description: `The variable belongs to the whole workspace. Workflows read it as \`{{variables.NAME}}\`, scripts with \`context.variables.get("NAME")\`. \`value\` applies to production and to environments without their own value, unless \`ownValuesOnly\` is set. Its default is the workspace setting \`ownEnvironmentValues\`. A workspace can have at most ${VARIABLES_MAX} variables.`,
    },
    update: {
      description:
        "Steps that start afterwards use the new value. `environments` is replaced as a whole; `variables.set_environment` sets one environment.",
    },
    delete: {
      description: "Workflows and scripts that still read it fail with `unknown_variable`.",
    },
  },
  docs: {
    noun: "a variable",
    nouns: "variables by name",
    examples: {
      id: "var_01jd0000000000000000000000",
      input: {
        name: "SHOP_URL",
        value: "https://shop.example.com",
        environments: { staging: "https://staging.shop.example.com" },
      },
      change: { ownValuesOnly: true },
    },
  },
});

/** Variables as pack content, with the values of all environments. They contain no secrets. */
export const variableContent = resourcePack(variableResource, {
  environmentScoped: false,
  schema: object(variableResource.declaration.input.properties, { title: "PackVariable" }),
});

/** An error for each value that is too large. */
function sizeErrors({
  value,
  environments = {},
}: {
  readonly value?: unknown;
  readonly environments?: Static<typeof furtherFields.environments> | undefined;
}): FieldError[] {
  const values = [
    ["/value", value] as const,
    ...Object.entries(environments).map(([name, own]) => [`/environments/${name}`, own] as const),
  ];
  return values
    .filter(([, one]) => Buffer.byteLength(JSON.stringify(one) ?? "") > VALUE_BYTES_MAX)
    .map(([path]) => ({ path, message: "must not be larger than 16 KiB" }));
}
