/** Consent: a person authorizes a connector in the browser to act for them (RFC 6749, 7636). */
import { createHash, randomBytes } from "node:crypto";
import Type from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { findRights } from "#domains/identity/accounts/index.ts";
import type { AuthorizationCode } from "../auth.ts";
import { ConnectorId, connectorRef } from "../connector.ts";
import {
  decryptCredentials,
  type Json,
  resolveCredentials,
  unmaskCredentials,
} from "../credentials.ts";
import { ConnectorsRead, ConnectorsWrite } from "../permissions.ts";
import { connectorStore, type StoredConnector } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { ConsentGiven, ConsentWithdrawn } from "./events.ts";
import { announceAtMs, consentExpiryJob, endOf } from "./expiry.ts";
import { clientKey, readGrant, sealTokens } from "./grant.ts";
import { requestTokens } from "./token-request.ts";

export const NoConsentNeeded = failure(
  "no_consent_needed",
  409,
  "The connector does not use consent. It has its own credentials.",
);
export const ConsentInvalid = failure(
  "consent_invalid",
  422,
  "The consent belongs to another request or another user, or it has expired.",
);
export const ConsentRefused = failure(
  "consent_refused",
  502,
  "The other system did not return a token for the consent.",
);

const ById = object({ id: ConnectorId });
const example = { params: { id: "con_01jd0000000000000000000000" } };
const STATE_MS = 600_000;
const VERIFIER_BYTES = 48;

/** The console page to which the upstream redirects the browser. */
function redirectUriOf({ origin }: Caller): string {
  const path = "/connectors/consent";
  // Automation has no origin, and default ports are omitted.
  return URL.canParse(path, origin) ? new URL(path, origin).href : path;
}

interface OpenedAuth {
  readonly connector: StoredConnector;
  readonly auth: AuthorizationCode;
}

/** A connector with its decrypted client credentials; throws if it does not use consent. */
async function openAuth(platform: Platform, caller: Caller, id: string): Promise<OpenedAuth> {
  const partition = partitionOfCaller(caller);
  const connector = await platform.db.read(partition, (tx) => connectorStore.get(tx, id));
  if (connector.auth.kind !== "oauth2_authorization_code") throw new Failure(NoConsentNeeded);
  const owner = { workspace: partition.workspace, id };
  const credentials = await decryptCredentials(platform, owner, connector.sealed);
  const type = connectorTypeOf(connector.type);
  const { parts } = unmaskCredentials(
    type.config,
    connector as { config: Json; auth: Json },
    credentials,
  );
  const authority = { runAs: connector.savedBy, permissions: connector.permissions };
  const { auth } = await resolveCredentials(platform, partition, type.config, {
    parts,
    user: () => findRights(platform, partition.workspace, authority),
  });
  if (auth.kind !== "oauth2_authorization_code") throw new Failure(NoConsentNeeded);
  return { connector, auth };
}

/**
 * The state that the browser passes to the upstream and back: encrypted, and bound to one person, connector and
 * client.
 */
interface ConsentState {
  readonly verifier: string;
  readonly client: string;
  readonly untilMs: number;
}

function stateContext(caller: Caller, id: string): string {
  // Binds the state to the session, so that another session of the same person cannot use it.
  const { actor, credential } = caller;
  return `connector consent ${partitionOfCaller(caller).workspace} ${id} ${actor.id} ${credential?.id ?? ""}`;
}

async function openState(
  platform: Platform,
  caller: Caller,
  id: string,
  state: string,
): Promise<ConsentState> {
  try {
    const key = await platform.keys.of(partitionOfCaller(caller).workspace);
    const plain = open(key, Buffer.from(state, "base64url"), stateContext(caller, id));
    const known = JSON.parse(plain.toString()) as ConsentState;
    if (known.untilMs > platform.clock.nowMs()) return known;
  } catch {
    // One error for all reasons, so that it reveals nothing.
  }
  throw new Failure(ConsentInvalid);
}

export const authorizeConnector = query({
  id: "connectors.authorize",
  route: "POST /api/v1/connectors/{id}/authorize",
  summary: "Start the consent of a connector",
  description:
    "For `oauth2_authorization_code`. Returns the URL to open in a browser. The other system asks the user, and redirects the browser to `redirectUri`, which must be registered there, with a `code` and the `state`. Send both to `…/consent`, in the same session, within ten minutes.",
  permission: ConnectorsWrite,
  environmentScoped: false,
  params: ById,
  response: item(
    Type.Object(
      { url: Type.String(), redirectUri: Type.String(), expiresAt: Time },
      { title: "ConnectorAuthorization" },
    ),
  ),
  fails: [NoConsentNeeded],
  example,
  prepare: async (platform, { params: { id } }, caller) => {
    const { auth } = await openAuth(platform, caller, id);
    const untilMs = platform.clock.nowMs() + STATE_MS;
    const verifier = randomBytes(VERIFIER_BYTES).toString("base64url");
    const content: ConsentState = { verifier, client: clientKey(auth), untilMs };
    const key = await platform.keys.of(partitionOfCaller(caller).workspace);
    const state = seal(key, Buffer.from(JSON.stringify(content)), stateContext(caller, id));
    const url = new URL(auth.authorizeUrl);
    const redirectUri = redirectUriOf(caller);
    const parameters = {
      response_type: "code",
      client_id: auth.clientId,
      redirect_uri: redirectUri,
      state: `${id}.${state.toString("base64url")}`,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...(auth.scope !== undefined && { scope: auth.scope }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, redirectUri, expiresAt: new Date(untilMs).toISOString() };
  },
  run: async (_ctx, _input, authorization) => authorization,
});

const Consent = Type.Object(
  {
    status: Type.Enum(["needs_consent", "up", "expired"]),
    grantedBy: nullable(Type.String({ description: "The user that the connector acts for" })),
    grantedAt: nullable(Time),
    refreshedAt: nullable(Time),
    redirectUri: Type.String({ description: "Register this URL at the other system" }),
  },
  { title: "ConnectorConsent" },
);

const INSERT = `
  insert into connector_grants (connector_id, client, sealed, granted_by, granted_at) values ($1, $2, $3, $4, $5)
  on conflict (connector_id) do update
     set client = excluded.client, sealed = excluded.sealed, state = 'up', version = connector_grants.version + 1,
         refresh_until = null, refreshed_at = null, granted_by = excluded.granted_by, granted_at = excluded.granted_at`;

export const giveConsent = command({
  id: "connectors.consent",
  effect: "drastic",
  actsOutside: true,
  route: "POST /api/v1/connectors/{id}/consent",
  summary: "Complete the consent of a connector",
  description:
    "Stores encrypted tokens, which are never returned. They are refreshed automatically.",
  permission: ConnectorsWrite,
  environmentScoped: false,
  params: ById,
  body: object({ code: text(4_000), state: line(4_000) }),
  response: item(Consent),
  emits: [ConsentGiven],
  fails: [NoConsentNeeded, ConsentInvalid, ConsentRefused],
  example: {
    ...example,
    body: { code: "SplxlOBeZQQYbYS6WxSbIA", state: "con_01jd0000000000000000000000.c2VhbGVk" },
  },
  async prepare(platform, { params: { id }, body }, caller) {
    const { connector, auth } = await openAuth(platform, caller, id);
    const { verifier, client } = await openState(
      platform,
      caller,
      id,
      body.state.slice(body.state.indexOf(".") + 1),
    );
    if (client !== clientKey(auth)) throw new Failure(ConsentInvalid);
    const answer = await requestTokens(platform, auth, {
      grant_type: "authorization_code",
      code: body.code,
      redirect_uri: redirectUriOf(caller),
      code_verifier: verifier,
    });
    if ("refusal" in answer) {
      throw new Failure(ConsentRefused, {
        detail: `The other system rejected the code: ${answer.refusal.error}.`,
      });
    }
    const place = { platform, partition: partitionOfCaller(caller), connectorId: id };
    const sealed = await sealTokens(place, answer.tokens);
    return { connector, client, sealed, end: endOf(answer.tokens) };
  },
  async run(ctx, { params: { id } }, { connector, client, sealed, end }) {
    await connectorStore.lock(ctx.tx, id);
    const grantedBy = ctx.caller.actor.id;
    void ctx.send(INSERT, [id, client, sealed, grantedBy, ctx.now]);
    ctx.emit(ConsentGiven, connectorRef(connector), { connectorId: id, grantedBy });
    if (end !== undefined) announceLater(ctx, id, end);
    return {
      status: "up" as const,
      grantedBy,
      grantedAt: ctx.now.toISOString(),
      refreshedAt: null,
      redirectUri: redirectUriOf(ctx.caller),
    };
  },
});

function announceLater(ctx: WriteContext<never>, connectorId: string, endsAtMs: number): void {
  const turn = { ...partitionOfCaller(ctx.caller), connectorId, endsAtMs };
  const dueAt = new Date(announceAtMs(endsAtMs, ctx.now.getTime()));
  ctx.enqueue(consentExpiryJob, turn, { key: connectorId, dueAt, onConflict: "move" });
}

export const getConsent = query({
  id: "connectors.get_consent",
  route: "GET /api/v1/connectors/{id}/consent",
  summary: "Get the consent of a connector",
  permission: ConnectorsRead,
  environmentScoped: false,
  params: ById,
  response: item(Consent),
  fails: [NoConsentNeeded],
  example,
  prepare: async (platform, { params: { id } }, caller) => {
    const partition = partitionOfCaller(caller);
    const { auth } = await platform.db.read(partition, (tx) => connectorStore.get(tx, id));
    const { kind, authorizeUrl = "", tokenUrl = "", clientId = "" } = auth;
    if (kind !== "oauth2_authorization_code") throw new Failure(NoConsentNeeded);
    const grant = await readGrant({ platform, partition, connectorId: id });
    const own =
      grant?.client === clientKey({ authorizeUrl, tokenUrl, clientId }) ? grant : undefined;
    return {
      status: own?.state ?? ("needs_consent" as const),
      grantedBy: own?.grantedBy ?? null,
      grantedAt: own ? new Date(own.grantedAt).toISOString() : null,
      refreshedAt: own?.refreshedAt == null ? null : new Date(own.refreshedAt).toISOString(),
      redirectUri: redirectUriOf(caller),
    };
  },
  run: async (_ctx, _input, consent) => consent,
});

const DELETE = "delete from connector_grants where connector_id = $1 returning granted_by";

export const withdrawConsent = command({
  id: "connectors.withdraw_consent",
  route: "DELETE /api/v1/connectors/{id}/consent",
  summary: "Delete the consent of a connector",
  permission: ConnectorsWrite,
  environmentScoped: false,
  params: ById,
  response: noContent(),
  emits: [ConsentWithdrawn],
  allowNoop: true,
  example,
  async run(ctx, { params: { id } }) {
    const connector = await connectorStore.lock(ctx.tx, id);
    ctx.expectRevision(connector.revision);
    const [row] = await ctx.send<{ granted_by: string }>(DELETE, [id]);
    if (row)
      ctx.emit(ConsentWithdrawn, connectorRef(connector), {
        connectorId: id,
        grantedBy: row.granted_by,
      });
  },
});
