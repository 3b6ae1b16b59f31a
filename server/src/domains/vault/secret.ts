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
  description: "Letters, digits and underscores; referred to as `{{secrets.NAME}}`",
});

/** The environments with optional separate values. The main value is production's. */
export const EnvironmentWithOwn = Type.Enum(["staging", "development"]);
export type EnvironmentWithOwn = Static<typeof EnvironmentWithOwn>;

export const Value = Type.String({
  minLength: 1,
  maxLength: VALUE_CHARACTERS_MAX,
  description: "Write-only: no answer, event or log line ever holds it",
});

/** The public fields of a secret. */
const dataFields = { name: Name, description: text(2_000) };
export const OwnValuesOnly = Type.Boolean({
  description:
    "An environment other than production without a value of its own has none, in the place of production's",
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
      description: "Those with a value of their own",
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
  summary: "A secret was stored.",
  data: SecretData,
});

export const SecretUpdated = changeEvent("audit.secret.updated", {
  resource: "secret",
  summary:
    "A secret was changed or given a new value. `changes` then names `value` too, which is never shown.",
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
  summary: "A secret was given a value of its own in an environment, which is never shown.",
  data: environmentData,
});

export const SecretEnvironmentRemoved = event("audit.secret.environment_removed", {
  resource: "secret",
  summary: "A secret has no value of its own in an environment any more.",
  data: environmentData,
});

export const SecretsRead = permission("secrets:read", "See which secrets there are", ["builder"]);
export const SecretsWrite = permission("secrets:write", "Store, rotate and delete secrets", [
  "builder",
]);
