import { Value } from "typebox/value";
import { Email } from "#domains/identity/accounts/index.ts";
import { LoginRefused } from "../login/failure.ts";

/** Whom an identity provider vouches for, whatever the protocol. */
export interface Identity {
  readonly email: string;
  readonly name: string;
  /** The provider's own lasting name for the person; addresses get new holders, this does not. */
  readonly subject: { readonly issuer: string; readonly id: string } | undefined;
  /** What the provider says about their role, in order of preference. */
  readonly roles: readonly string[];
  /** What must not be used a second time. */
  readonly assertion: { readonly id: string; readonly expiresAt: Date } | undefined;
}

const NAME_CHARACTERS_MAX = 100;

/** An address as accounts have it; a login without one, or with several, is refused. */
export function parseEmail(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined)
    throw new LoginRefused("email_missing", "The answer has no e-mail address.");
  if (others.length > 0)
    throw new LoginRefused("email_missing", "The answer has several addresses.");
  const email = value.trim().toLowerCase();
  if (!Value.Check(Email, email) || /\p{C}/u.test(email)) {
    throw new LoginRefused("email_missing", "What should be an e-mail address is none.");
  }
  return email;
}

/** A name fit to be shown; an address has to do where there is none. */
export function buildDisplayName(parts: readonly (string | undefined)[], email: string): string {
  const name = parts
    .filter((part) => part !== undefined)
    .join(" ")
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return name === "" ? email.slice(0, NAME_CHARACTERS_MAX) : truncateName(name);
}

/** Whole characters only: half a surrogate pair can't be stored. */
function truncateName(name: string): string {
  let result = "";
  for (const character of name) {
    if (result.length + character.length > NAME_CHARACTERS_MAX) break;
    result += character;
  }
  return result;
}
