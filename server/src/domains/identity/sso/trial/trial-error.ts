import type { LoginRefused, Reason } from "../login/failure.ts";
import type { Trial } from "./trial.ts";

/** Where to look, in words for whoever sets a provider up. */
const MESSAGES: Readonly<Record<Reason, string>> = {
  request_unknown: "The answer belongs to no login under way. Begin the test again.",
  browser_unknown:
    "The answer came in another browser than the test began in. Begin the test again.",
  provider_unreachable:
    "The provider could not be reached. Check its address, and that this server may reach it.",
  provider_refused:
    "The provider refused the login. Check that you may use this application there, and its client id and secret.",
  answer_malformed:
    "The answer could not be read. Check that the provider speaks the protocol that is set here.",
  answer_rejected:
    "The answer's signature, audience or times do not hold. Check the certificate or the client id, and both clocks.",
  recipient_wrong:
    "The answer was meant for another address. Give the provider the address from step 1.",
  issuer_wrong: "The answer is from another issuer than the one that is set here.",
  answer_replayed: "The same answer came before. Begin the test again.",
  email_missing:
    "The answer has no e-mail address that could be used. Have the provider send one, or map the claim that holds it.",
  email_unverified:
    "The provider says that the person's e-mail address is not verified. Have it verified there.",
  identity_mismatch:
    "The member with this address came as another identity before. Remove the member, or correct the address there.",
  user_unknown:
    "Nobody with this address is a member. Invite them, or let whoever the provider lets in become a member.",
  user_deactivated: "The member or their account is deactivated.",
  role_unknown: "The role that new members get no longer exists. Choose another one.",
  owner_not_admitted: "No owner set this up, so it lets no owner in. Save it as an owner.",
};

export function toTrialError({ reason, message }: LoginRefused): Trial["errors"][number] {
  return { code: reason, message: MESSAGES[reason], detail: message };
}
