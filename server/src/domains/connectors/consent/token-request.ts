/** Token requests: with an authorization code, or with the refresh token of a grant. */
import type { Platform } from "#kernel/contract.ts";
import type { AuthorizationCode } from "../auth.ts";
import { readResponse } from "../upstream/response.ts";
import type { GrantedTokens } from "./grant.ts";

const ANSWER_BYTES_MAX = 64 * 1024;
const TIMEOUT_MS = 15_000;

/** The answer of a token endpoint: tokens, or its refusal. */
export type TokenAnswer =
  | { readonly tokens: GrantedTokens }
  | { readonly refusal: { readonly status: number; readonly error: string } };

/** Sends a request to the token endpoint of a connector. The result does not contain any part of the request. */
export async function requestTokens(
  { outbound, clock }: Pick<Platform, "outbound" | "clock">,
  auth: AuthorizationCode,
  grant: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const { clientId, clientSecret, clientAuth = "body" } = auth;
  const isBasic = clientAuth === "basic" && clientSecret !== undefined;
  const form = new URLSearchParams({
    ...grant,
    ...(!isBasic && { client_id: clientId }),
    ...(!isBasic && clientSecret !== undefined && { client_secret: clientSecret }),
  });
  const pair = new URLSearchParams([[clientId, clientSecret ?? ""]]).toString().replace("=", ":");
  const response = await outbound.request({
    method: "POST",
    url: auth.tokenUrl,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      ...(isBasic && { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }),
    },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: ANSWER_BYTES_MAX,
    allowHttp: true,
  });
  const { status, body } = readResponse(response);
  const { access_token, refresh_token, expires_in, refresh_token_expires_in, error } = Object(
    body,
  ) as Readonly<Record<string, unknown>>;
  if (status >= 300 || typeof access_token !== "string" || access_token === "") {
    return {
      refusal: { status, error: typeof error === "string" ? error.slice(0, 100) : "no_token" },
    };
  }
  const timeIn = (value: unknown): number | undefined => {
    const seconds = Number(value);
    return Number.isFinite(seconds) && seconds > 0 ? clock.nowMs() + seconds * 1_000 : undefined;
  };
  const expiresAtMs = timeIn(expires_in);
  const refreshExpiresAtMs = timeIn(refresh_token_expires_in);
  return {
    tokens: {
      accessToken: access_token,
      ...(typeof refresh_token === "string" && { refreshToken: refresh_token }),
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(refreshExpiresAtMs !== undefined && { refreshExpiresAtMs }),
    },
  };
}
