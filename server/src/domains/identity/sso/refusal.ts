/** Why a login was refused; the log says so, the page that the person sees does not. */
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
] as const;
export type Reason = (typeof REASONS)[number];

const DETAIL_CHARACTERS_MAX = 300;

/** A login that must not happen. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: Reason;
  readonly email: string | undefined;

  constructor(reason: Reason, detail: string, email?: string) {
    super(printable(detail));
    this.reason = reason;
    this.email = email;
  }
}

/** Details quote what strangers sent. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, DETAIL_CHARACTERS_MAX);
}
