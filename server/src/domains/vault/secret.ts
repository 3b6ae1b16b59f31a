import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { nullable, text, Time } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";

const NAME_CHARACTERS_MAX = 100;
const VALUE_CHARACTERS_MAX = 65_536;

export const Name = Type.String({
  pattern: `^${SECRET_NAME}$`,
  maxLength: NAME_CHARACTERS_MAX,
  description: "Letters, digits and underscores. Use it as `{{secrets.NAME}}`",
});

/** The environments with optional separate values. The main value is production's. */
export const EnvironmentWithOwn = Type.Enum(["staging", "development"]);
export type EnvironmentWithOwn = Static<typeof EnvironmentWithOwn>;

export const Value = Type.String({
  minLength: 1,
  maxLength: VALUE_CHARACTERS_MAX,
  description: "Write-only: responses, events and log lines never contain it",
});

/** The public fields of a secret. */
const dataFields = { name: Name, description: text(2_000) };
export const OwnValuesOnly = Type.Boolean({
  description:
    "Whether other environments have only their own value instead of the production value",
});

export const Description = dataFields.description;

/** A secret in events. */
const SecretData = Type.Object(
  { ...dataFields, ownValuesOnly: Type.Optional(OwnValuesOnly) },
  { title: "SecretData" },
);

export const Secret = Type.Object(
  {
    ...dataFields,
    ownValuesOnly: OwnValuesOnly,
    environments: Type.Array(EnvironmentWithOwn, {
      maxItems: 2,
      description: "Environments with their own value",
    }),
    lastUsedAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Secret" },
);
export type Secret = Static<typeof Secret> & { readonly revision: number };

export const SecretExists = failure(
  "secret_exists",
  409,
  "Another secret has this name.",
  "secrets_name",
);

export const SecretCreated = event("audit.secret.created", {
  resource: "secret",
  summary: "A secret was created.",
  data: SecretData,
});

export const SecretUpdated = changeEvent("audit.secret.updated", {
  resource: "secret",
  summary:
    "A secret was updated, or its value was rotated. Then `changes` contains `value`, without the value itself.",
  data: SecretData,
});

export const SecretDeleted = event("audit.secret.deleted", {
  resource: "secret",
  summary: "A secret was deleted.",
  data: SecretData,
});

const environmentData = Type.Object({ name: Name, environment: EnvironmentWithOwn });

export const SecretEnvironmentSet = event("audit.secret.environment_set", {
  resource: "secret",
  summary: "The value of a secret was set in an environment. The event does not contain it.",
  data: environmentData,
});

export const SecretEnvironmentRemoved = event("audit.secret.environment_removed", {
  resource: "secret",
  summary: "The value of a secret was deleted in an environment.",
  data: environmentData,
});

export const SecretsRead = permission("secrets:read", "View the list of secrets", ["builder"]);
export const SecretsWrite = permission("secrets:write", "Create, rotate and delete secrets", [
  "builder",
]);
