import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { text, Time } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";

const NAME_CHARACTERS_MAX = 100;
const VALUE_CHARACTERS_MAX = 65_536;

export const Name = Type.String({
  pattern: `^${SECRET_NAME}$`,
  maxLength: NAME_CHARACTERS_MAX,
  description: "Letters, digits and underscores; referred to as `{{secrets.NAME}}`",
});

export const Value = Type.String({
  minLength: 1,
  maxLength: VALUE_CHARACTERS_MAX,
  description: "Write-only: no answer, event or log line ever holds it",
});

/** What may be known of a secret. */
const about = { name: Name, description: text(2_000) };

export const Description = about.description;

/** As events tell it. */
export const SecretData = Type.Object(about, { title: "SecretData" });

export const Secret = Type.Object(
  { ...about, createdAt: Time, updatedAt: Time },
  { title: "Secret" },
);
export type Secret = Static<typeof Secret> & { readonly revision: number };

export const SecretExists = failure(
  "secret_exists",
  409,
  "Another secret has this name.",
  "secrets_name",
);
