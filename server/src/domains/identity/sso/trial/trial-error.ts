import type { LoginRefused, Reason } from "../login/failure.ts";
import type { Trial } from "./trial.ts";

/** Troubleshooting messages for the administrator who sets up a provider. */
const MESSAGES: Readonly<Record<Reason, string>> = {
  request_unknown: "The response does not belong to an active sign-in. Start the test again.",
  browser_unknown: "The response arrived in another browser. Start the test again.",
  provider_unreachable:
    "The provider could not be reached. Check its URL, and that this server can connect to it.",
  provider_refused:
    "The provider rejected the sign-in. Check that you can use this application at the provider, and check its client id and secret.",
  answer_malformed:
    "The response can't be parsed. Check that the provider uses the selected protocol.",
  answer_rejected:
    "The signature, the audience or the times of the response are not valid. Check the certificate or the client id, and both clocks.",
  recipient_wrong:
    "The response was addressed to another URL. Enter the URL from step 1 at the provider.",
  issuer_wrong: "The response has another issuer than the configured one.",
  answer_replayed: "The response was already used. Start the test again.",
  email_missing:
    "The response does not contain a valid e-mail address. Configure the provider to send one, or map the claim that contains it.",
  email_unverified:
    "The provider has not verified the e-mail address of the user. Verify it there.",
  identity_mismatch:
    "The member with this e-mail address is linked to another identity. Remove the member, or correct the address at the provider.",
  user_unknown:
    "No member has this e-mail address. Invite the user, or enable the creation of users at their first sign-in.",
  user_deactivated: "The member or their account is deactivated.",
  role_unknown: "The default role of new members no longer exists. Choose another role.",
  owner_not_admitted:
    "Single sign-on was not configured by an owner, so owners can't use it. Save it as an owner.",
};

export function toTrialError({ reason, message }: LoginRefused): Trial["errors"][number] {
  return { code: reason, message: MESSAGES[reason], detail: message };
}
