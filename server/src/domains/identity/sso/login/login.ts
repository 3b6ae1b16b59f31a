import { UserActivated } from "#domains/identity/accounts/index.ts";
import { startSession, buildSessionCookie, LoggedIn } from "#domains/identity/sessions/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { endpointUrls } from "../endpoint-urls.ts";
import { NotConfigured, type Protocol } from "../settings/configuration.ts";
import { SsoLoginFailed, SsoLoginStarted } from "../events.ts";
import type { Identity } from "../protocols/identity.ts";
import { provisionMember } from "./provision-member.ts";
import type { RelyingParty } from "../protocols/oidc.ts";
import { LoginRefused, failureFor } from "./failure.ts";
import {
  type NewLoginRequest,
  createRequest,
  type LoginRequestDetails,
  matchRequest,
  newState,
} from "./request.ts";
import { openClientSecret, configurationRef } from "../settings/service.ts";
import * as store from "../store.ts";

/** Where somebody lands who did not say. */
const DEFAULT_RETURN_PATH = "/docs";
/** Nobody guesses anything here, and an office signs in from one address. */
const LOGINS_PER_PASSWORD_LOGIN = 6;
/** Loaded at the first login of their kind: their libraries take memory, and few use both. */
const protocols = {
  saml: () => import("../protocols/saml.ts"),
  oidc: () => import("../protocols/oidc.ts"),
};

interface LoginAttempt<Result> {
  readonly sso: store.WorkspaceSso;
  readonly result: Result | LoginRefused;
}

/** Everything about the beginning of a login that needs the network. */
export async function prepareStart(
  platform: Platform,
  input: { readonly slug: string; readonly returnTo: string | undefined },
  caller: Caller,
): Promise<LoginAttempt<NewLoginRequest & { readonly goTo: string }>> {
  const sso = await getWorkspaceSso(platform, input.slug, caller);
  const { origin } = caller;
  const returnTo = parseReturnPath(input.returnTo ?? DEFAULT_RETURN_PATH, origin);
  const state = newState();
  const result = await catchRefusal(async () => {
    const { goTo, sent } = await buildAuthenticationRequest(platform, sso, { state, origin });
    return { ...(await createRequest(platform, sso, state, { origin, returnTo, sent })), goTo };
  });
  return { sso, result };
}

/** Keeps what the answer will be recognised by, and sends the browser on. */
export async function startLogin(
  ctx: WriteContext<typeof SsoLoginStarted | typeof SsoLoginFailed>,
  { sso, result }: Awaited<ReturnType<typeof prepareStart>>,
) {
  ctx.switchPartition({ workspace: sso.key, environment: ctx.caller.environment });
  if (result instanceof LoginRefused) return recordRefusal(ctx, sso, result);
  const { stateHash, browserHash, details, expiresAt, goTo, cookie } = result;
  await store.insertRequest(
    ctx.tx,
    { state_hash: stateHash, browser_hash: browserHash, details, expires_at: expiresAt },
    ctx.now,
  );
  const { protocol } = sso;
  ctx.emit(SsoLoginStarted, ssoRef(sso), { protocol, address: ctx.caller.address });
  return { goTo, headers: { "set-cookie": cookie } };
}

export interface ProviderAnswer {
  readonly slug: string;
  readonly protocol: Protocol;
  readonly state: string | undefined;
  /** Reads who it is out of the answer, once it is known what was asked. */
  readonly read: (sso: store.WorkspaceSso, details: LoginRequestDetails) => Promise<Identity>;
}

/** Everything about an answer that needs the network or time: whose it is, and whether it is sound. */
export async function prepareAnswer(platform: Platform, answer: ProviderAnswer, caller: Caller) {
  const { state } = answer;
  const sso = await getWorkspaceSso(platform, answer.slug, caller);
  if (sso.protocol !== answer.protocol) throw new Failure(NotConfigured);
  const result = await catchRefusal(async () => {
    if (state === undefined)
      throw new LoginRefused("request_unknown", "The answer names no login.");
    const details = await matchRequest(platform, sso, state, caller);
    return { identity: await answer.read(sso, details), returnTo: details.returnTo };
  });
  return { place: sso, result, stateHash: state === undefined ? undefined : sha256(state) };
}

/** Begins the session, or says why not. Either way the request that was answered is used up. */
export async function finishLogin(
  ctx: WriteContext<typeof LoggedIn | typeof UserActivated | typeof SsoLoginFailed>,
  { place: sso, result, stateHash }: Awaited<ReturnType<typeof prepareAnswer>>,
) {
  ctx.switchPartition({ workspace: sso.key, environment: ctx.caller.environment });
  const isFirst = stateHash !== undefined && (await store.consumeRequest(ctx.tx, stateHash));
  const outcome = await catchRefusal(async () => {
    if (result instanceof LoginRefused) throw result;
    if (!isFirst) throw new LoginRefused("request_unknown", "The login was answered already.");
    await assertFirstUse(ctx, result.identity);
    return { user: await provisionMember(ctx, sso, result.identity), returnTo: result.returnTo };
  });
  if (outcome instanceof LoginRefused) return recordRefusal(ctx, sso, outcome);
  const session = await startSession(ctx, outcome.user, [{ workspace: sso.key }], sso.key);
  const headers = { "set-cookie": buildSessionCookie(session, ctx.services.settings) };
  return { goTo: outcome.returnTo, headers };
}

/** How the answers of either protocol are read. */
export function samlReader(response: string, { clock }: Platform): ProviderAnswer["read"] {
  return async (sso, { sent, origin }) => {
    if (sso.protocol !== "saml2" || sent.protocol !== "saml2") throw new Failure(NotConfigured);
    const { acs } = endpointUrls(origin, sso.slug);
    const { requestId } = sent;
    const saml = await protocols.saml();
    return saml.verifyAnswer(sso.provider, { requestId, acs }, response, clock);
  };
}

export function oidcReader(
  query: Readonly<Record<string, string>>,
  platform: Platform,
): ProviderAnswer["read"] {
  return async (sso, { sent, origin }) => {
    if (sent.protocol !== "oidc") throw new Failure(NotConfigured);
    const relyingParty = await loadRelyingParty(platform, sso, origin);
    const oidc = await protocols.oidc();
    return oidc.verifyAnswer(
      platform,
      relyingParty,
      { ...sent, state: query["state"] ?? "" },
      query,
    );
  };
}

async function buildAuthenticationRequest(
  platform: Platform,
  sso: store.WorkspaceSso,
  { state, origin }: { readonly state: string; readonly origin: string },
): Promise<{ readonly goTo: string; readonly sent: LoginRequestDetails["sent"] }> {
  if (sso.protocol === "saml2") {
    const requestId = `_${newState()}`;
    const { acs } = endpointUrls(origin, sso.slug);
    const saml = await protocols.saml();
    const goTo = await saml.buildRequestUrl(sso.provider, { requestId, acs }, state);
    return { goTo, sent: { protocol: "saml2", requestId } };
  }
  const oidc = await protocols.oidc();
  const secrets = oidc.newSecrets();
  const relyingParty = await loadRelyingParty(platform, sso, origin);
  const goTo = await oidc.buildRequestUrl(platform, relyingParty, { ...secrets, state });
  return { goTo, sent: { protocol: "oidc", ...secrets } };
}

async function loadRelyingParty(
  platform: Platform,
  sso: store.WorkspaceSso,
  origin: string,
): Promise<RelyingParty> {
  if (sso.protocol !== "oidc") throw new Failure(NotConfigured);
  return {
    provider: sso.provider,
    clientSecret: await openClientSecret(platform, sso),
    redirectUri: endpointUrls(origin, sso.slug).callback,
  };
}

/** A workspace that does not exist and one without single sign-on answer alike. */
async function getWorkspaceSso(
  { db, rateLimit, settings }: Platform,
  slug: string,
  { address }: Caller,
): Promise<store.WorkspaceSso> {
  const limit = settings.loginRateLimit * LOGINS_PER_PASSWORD_LOGIN;
  rateLimit.assert(`sso from ${classifyAddress(address)}`, limit);
  const sso = await store.findBySlug(db, slug);
  if (!sso) throw new Failure(NotConfigured);
  return sso;
}

/** A path of ours, so that nobody is led elsewhere by a link that begins here. */
function parseReturnPath(path: string, origin: string): string {
  const url = toLocalRedirect(path, origin);
  if (!url) throw invalidField("?returnTo", "must be a path");
  return `${url.pathname}${url.search}${url.hash}`;
}

async function assertFirstUse(
  { tx, now }: WriteContext<never>,
  { assertion, email }: Identity,
): Promise<void> {
  if (!assertion) return;
  const { id, expiresAt } = assertion;
  const isFirst = await store.consumeAssertion(tx, { idHash: sha256(id), expiresAt, now });
  if (!isFirst) throw new LoginRefused("answer_replayed", "The assertion was used before.", email);
}

async function catchRefusal<T>(work: () => Promise<T>): Promise<T | LoginRefused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

/** The log hears why; the person only that it was so. */
function recordRefusal(
  ctx: WriteContext<typeof SsoLoginFailed>,
  sso: store.WorkspaceSso,
  { reason, message, email }: LoginRefused,
): Failure {
  ctx.emit(SsoLoginFailed, ssoRef(sso), {
    protocol: sso.protocol,
    reason,
    detail: message,
    address: ctx.caller.address,
    ...(email !== undefined && { email }),
  });
  return new Failure(failureFor(reason));
}

function ssoRef({ key }: store.WorkspaceSso) {
  return configurationRef({ id: workspaceIdOf(key) });
}
