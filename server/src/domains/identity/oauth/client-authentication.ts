import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { equalBytes, sha256 } from "#kernel/access/crypto.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { type Client, findClient } from "./applications/store.ts";
import { InvalidClient, InvalidRequest } from "./protocol.ts";

/** A parameter of a request; an empty one counts as omitted. */
export function parameter(maxLength: number) {
  return Type.Optional(Type.String({ maxLength }));
}

/** Client authentication in a body. Other parameters are ignored, as RFC 6749 requires. */
export const clientParameters = { client_id: parameter(500), client_secret: parameter(200) };
type ClientParameters = Static<ReturnType<typeof Type.Object<typeof clientParameters>>>;

export interface AuthenticatedClient {
  readonly client: Client;
  /** The result of checking the client secret; public clients send none. */
  readonly secretCheck: "valid" | "missing" | "invalid";
}

type Purpose = "token" | "revoke" | "introspect";

/** Finds the calling client and checks its secret, with throttling. Throws if the client does not exist. */
export async function authenticateClient(
  platform: Platform,
  purpose: Purpose,
  parameters: ClientParameters,
  caller: Caller,
): Promise<AuthenticatedClient> {
  const { clientId, secret } = readClientCredentials(parameters, caller);
  const client = await findClient(platform.db, clientId);
  const secretCheck = client ? checkSecret(client, secret) : "missing";
  // A resource server introspects often, and is not throttled after authentication.
  if (purpose !== "introspect" || secretCheck !== "valid") {
    const { rateLimit, settings } = platform;
    // By address as well as by client: a client id is public, and must not be enough to lock the client out.
    const who = `${classifyAddress(caller.address)} ${client?.clientId ?? "nobody"}`;
    rateLimit.assert(`oauth ${purpose} ${who}`, settings.loginRateLimit);
  }
  if (!client) throw invalidClient(caller);
  return { client, secretCheck };
}

export function invalidClient({ basic }: Caller): Failure {
  return new Failure(InvalidClient, {
    ...(basic && { headers: { "www-authenticate": 'Basic realm="OAuth"' } }),
  });
}

function checkSecret(
  { secretHash }: Client,
  secret: string | undefined,
): AuthenticatedClient["secretCheck"] {
  if (secret === undefined) return "missing";
  if (secretHash === null) return "invalid";
  return equalBytes(sha256(secret), secretHash) ? "valid" : "invalid";
}

function readClientCredentials(
  { client_id, client_secret }: ClientParameters,
  { basic }: Caller,
): { readonly clientId: string; readonly secret: string | undefined } {
  if (!basic) {
    if (!client_id) throw new Failure(InvalidRequest, { detail: "client_id is required." });
    return { clientId: client_id, secret: client_secret || undefined };
  }
  const clientId = decodeFormText(basic.name);
  if (client_secret || (client_id && client_id !== clientId)) {
    throw new Failure(InvalidRequest, { detail: "The client uses two authentication methods." });
  }
  return { clientId, secret: decodeFormText(basic.password) };
}

/** RFC 6749 encodes both parts of HTTP Basic as in a form. */
function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
