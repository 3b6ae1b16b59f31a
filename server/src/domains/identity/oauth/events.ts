import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { ClientId } from "./applications/application.ts";

/** The scopes that an account granted to an application. */
const GrantRef = Type.Object({
  grantId: id("oag"),
  clientId: ClientId,
  userId: id("usr"),
  scopes: Type.Array(Type.String()),
});
const granted = { resource: "oauth_grant", data: GrantRef };

export const ConsentGranted = event("audit.oauth_consent.granted", {
  ...granted,
  summary: "A user gave consent to an application.",
});
export const ConsentDenied = event("audit.oauth_consent.denied", {
  ...granted,
  summary: "A user denied consent to an application.",
});
export const ConsentRevoked = event("audit.oauth_consent.revoked", {
  ...granted,
  summary: "A user revoked the consent of an application and its tokens.",
});
export const TokenIssued = event("audit.oauth_token.issued", {
  ...granted,
  summary: "An application exchanged its code for tokens.",
});
export const TokenRefreshed = event("audit.oauth_token.refreshed", {
  ...granted,
  summary: "An application exchanged a refresh token for new tokens.",
});
export const TokenRevoked = event("audit.oauth_token.revoked", {
  ...granted,
  summary: "An application revoked an access token, or all tokens of a grant.",
});
export const TokenReuseDetected = event("audit.oauth_token.reuse_detected", {
  ...granted,
  summary: "A code or refresh token was used twice, so all tokens of its grant were revoked.",
});
export const TokenRefused = event("audit.oauth_token.refused", {
  resource: "oauth_application",
  summary: "A request of an application was rejected.",
  data: Type.Object({
    clientId: ClientId,
    reason: Type.Enum([
      "wrong_secret",
      "unknown_token",
      "wrong_client",
      "wrong_redirect_uri",
      "wrong_verifier",
      "expired",
      "revoked",
      "nothing_granted",
      "scope_exceeded",
    ]),
    address: Type.String(),
  }),
});
