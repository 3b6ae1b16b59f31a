import { Value } from "typebox/value";
import { Email, toAccountEmail } from "#domains/identity/accounts/index.ts";
import { LoginRefused } from "../login/failure.ts";

/** A person as described by an identity provider, for both protocols. */
export interface Identity {
  readonly email: string;
  readonly name: string;
  /** The provider's permanent id of the person; an address may be reassigned, the id is not. */
  readonly subject: { readonly issuer: string; readonly id: string } | undefined;
  /** Role names from the provider, in order of preference. */
  readonly roles: readonly string[];
  /** The assertion to consume, since it is valid once. */
  readonly assertion: { readonly id: string; readonly expiresAt: Date } | undefined;
}

const NAME_CHARACTERS_MAX = 100;

/** Normalizes the address like those of accounts; rejects a login with none or several. */
export function parseEmail(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined)
    throw new LoginRefused("email_missing", "The response does not contain an e-mail address.");
  if (others.length > 0)
    throw new LoginRefused("email_missing", "The response contains several e-mail addresses.");
  const email = toAccountEmail(value.trim());
  if (!Value.Check(Email, email) || /\p{C}/u.test(email)) {
    throw new LoginRefused("email_missing", "The e-mail address in the response is not valid.");
  }
  return email;
}

/** Joins and cleans the parts of a name; falls back to the e-mail address. */
export function buildDisplayName(parts: readonly (string | undefined)[], email: string): string {
  const name = parts
    .filter((part) => part !== undefined)
    .join(" ")
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return name === "" ? email.slice(0, NAME_CHARACTERS_MAX) : truncateName(name);
}

/** Truncates between characters, because half a surrogate pair cannot be stored. */
function truncateName(name: string): string {
  let result = "";
  for (const character of name) {
    if (result.length + character.length > NAME_CHARACTERS_MAX) break;
    result += character;
  }
  return result;
}
