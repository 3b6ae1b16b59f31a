import Type, { type Static } from "typebox";
import { type Failure, failure, type FailureType } from "#kernel/operation/failure.ts";
import type { ErrorRendering } from "#kernel/operation/problem.ts";

/** The errors of RFC 6749, with the codes of the protocol. */
export const InvalidRequest = failure("invalid_request", 400, "The request is not valid.");
export const InvalidClient = failure(
  "invalid_client",
  401,
  "The authentication of the client failed.",
);
export const InvalidGrant = failure(
  "invalid_grant",
  400,
  "The code or refresh token is invalid, used or expired, or it belongs to another request.",
);
export const InvalidScope = failure("invalid_scope", 400, "The scope exceeds the granted scope.");
export const InvalidTarget = failure(
  "invalid_target",
  400,
  "No tokens are issued for this resource.",
);
export const InvalidRedirectUri = failure(
  "invalid_redirect_uri",
  400,
  "A redirect URI is not allowed.",
);
export const InvalidClientMetadata = failure(
  "invalid_client_metadata",
  400,
  "The metadata of the client is not valid.",
);
export const UnsupportedGrantType = failure(
  "unsupported_grant_type",
  400,
  "The supported grant types are authorization_code and refresh_token.",
);

const PROTOCOL_FAILURES: ReadonlySet<FailureType> = new Set([
  InvalidRequest,
  InvalidClient,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidRedirectUri,
  InvalidClientMetadata,
  UnsupportedGrantType,
]);

const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: "OAuthError", description: "RFC 6749, section 5.2" },
);

/** Renders failures as an OAuth client expects them. */
export const oauthErrorRendering: ErrorRendering = {
  mediaType: "application/json",
  body: OAuthError,
  render({ type, message, particulars }: Failure) {
    const body: Static<typeof OAuthError> = {
      error: PROTOCOL_FAILURES.has(type) ? type.code : errorOf(type.status),
      error_description: toErrorDescription(message),
    };
    return {
      // The protocol does not distinguish malformed requests from invalid ones.
      status: type.status === 422 ? 400 : type.status,
      headers: { "content-type": "application/json; charset=utf-8", ...particulars.headers },
      body: JSON.stringify(body),
    };
  },
};

function errorOf(status: number): string {
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : InvalidRequest.code;
}

/** RFC 6749 allows only some ASCII characters in a description. */
export function toErrorDescription(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
