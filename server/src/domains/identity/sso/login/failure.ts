import { failure, type FailureType } from "#kernel/operation/failure.ts";

/** The reasons of rejected logins: recorded in the event log, not shown on the page. */
export const REASONS = [
  "request_unknown",
  "browser_unknown",
  "provider_unreachable",
  "provider_refused",
  "answer_malformed",
  "answer_rejected",
  "recipient_wrong",
  "issuer_wrong",
  "answer_replayed",
  "email_missing",
  "email_unverified",
  "identity_mismatch",
  "user_unknown",
  "user_deactivated",
  "role_unknown",
  "owner_not_admitted",
] as const;
export type Reason = (typeof REASONS)[number];

const DETAIL_CHARACTERS_MAX = 300;

/** Thrown to reject a login; the reason is recorded, and the person sees its `failureFor`. */
export class LoginRefused extends Error {
  override readonly name = "LoginRefused";
  readonly reason: Reason;
  readonly email: string | undefined;

  constructor(reason: Reason, detail: string, email?: string) {
    super(toPrintable(detail));
    this.reason = reason;
    this.email = email;
  }
}

export const SsoRejected = failure(
  "sso_rejected",
  403,
  "The response of your identity provider was not accepted. Please try again.",
);
export const SsoNotUnderWay = failure(
  "sso_not_under_way",
  403,
  "This sign-in has expired. Please start again.",
);
export const SsoNoAccess = failure(
  "sso_no_access",
  403,
  "You have no access to this workspace. Please ask its administrator.",
);
export const SsoUnreachable = failure(
  "sso_provider_unreachable",
  502,
  "The identity provider could not be reached.",
);

/** The failure that the person sees: enough to act on, without revealing the checks. */
export function failureFor(reason: Reason): FailureType {
  return FAILURES[reason] ?? SsoRejected;
}

const FAILURES: Partial<Record<Reason, FailureType>> = {
  request_unknown: SsoNotUnderWay,
  browser_unknown: SsoNotUnderWay,
  user_unknown: SsoNoAccess,
  user_deactivated: SsoNoAccess,
  owner_not_admitted: SsoNoAccess,
  provider_unreachable: SsoUnreachable,
};

/** Details quote untrusted input. */
function toPrintable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, DETAIL_CHARACTERS_MAX);
}
