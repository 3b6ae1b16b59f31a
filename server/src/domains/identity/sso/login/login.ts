import { CredentialsRevoked, UserActivated } from "#domains/identity/accounts/index.ts";
import { startSession, buildSessionCookie, LoggedIn } from "#domains/identity/sessions/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { endpointUrls } from "../endpoint-urls.ts";
import { NotConfigured, type Protocol } from "../settings/configuration.ts";
import { SsoLoginFailed, SsoLoginStarted, SsoTested } from "../events.ts";
import type { Identity } from "../protocols/identity.ts";
import { findSharedIds } from "./member-store.ts";
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
import { recordTrial } from "../trial/record-trial.ts";

/** The default path after a login. */
const DEFAULT_RETURN_PATH = "/";
/** Logins cannot be guessed here, and many people may sign in from one office address. */
const LOGINS_PER_PASSWORD_LOGIN = 6;
/** Loaded on first use of each protocol: the libraries use memory, and few installations use both. */
const protocols = {
  saml: () => import("../protocols/saml.ts"),
  oidc: () => import("../protocols/oidc.ts"),
};

interface LoginAttempt<Result> {
  readonly sso: store.WorkspaceSso;
  readonly result: Result | LoginRefused;
}

/** Runs the part of starting a login that needs the network, before its transaction. */
export async function prepareStart(
  platform: Platform,
  input: { readonly slug: string; readonly returnTo: string | undefined; readonly test: boolean },
  caller: Caller,
): Promise<StartAttempt> {
  const sso = await getWorkspaceSso(platform, input.slug, caller);
  const { origin } = caller;
  const returnTo = parseReturnPath(input.returnTo ?? DEFAULT_RETURN_PATH, origin);
  const testedBy = input.test ? requireTester(caller, sso) : undefined;
  const state = newState();
  const result = await catchRefusal(async () => {
    const { goTo, sent } = await buildAuthenticationRequest(platform, sso, { state, origin });
    const tester = testedBy === undefined ? {} : { testedBy };
    const details = { origin, returnTo, sent, ...signedInAs(caller), ...tester };
    return { ...(await createRequest(platform, sso, state, details)), goTo };
  });
  return { sso, result, returnTo, testedBy };
}

interface StartAttempt extends LoginAttempt<NewLoginRequest & { readonly goTo: string }> {
  readonly returnTo: string;
  readonly testedBy: string | undefined;
}

/**
 * Only members who may configure it can test it, with their own session, because the result reveals account data.
 */
function requireTester({ credential }: Caller, sso: store.WorkspaceSso): string {
  const isOwn = credential?.kind === "session" && !credential.confinedTo;
  const memberships = isOwn ? [...credential.memberships.values()] : [];
  const here = memberships.find(({ workspace }) => workspace.key === sso.key);
  if (!isOwn || here?.roles.includes("owner") !== true) {
    throw new Failure(Forbidden, { detail: "Only an owner can test single sign-on." });
  }
  return credential.user.id;
}

/** Stores the request that the provider's response must match, and redirects the browser. */
export async function startLogin(
  ctx: WriteContext<typeof SsoLoginStarted | typeof SsoLoginFailed | typeof SsoTested>,
  { sso, result, returnTo, testedBy }: StartAttempt,
) {
  ctx.switchPartition({ workspace: sso.key, environment: ctx.caller.environment });
  if (result instanceof LoginRefused && testedBy !== undefined) {
    const trial = { startedBy: testedBy, proven: result, ref: ssoRef(sso) };
    await recordTrial(ctx, sso, trial);
    return { goTo: returnTo };
  }
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

export interface ProviderResponse {
  readonly slug: string;
  readonly protocol: Protocol;
  readonly state: string | undefined;
  /** Verifies the response against the request that it answers. */
  readonly verify: (sso: store.WorkspaceSso, details: LoginRequestDetails) => Promise<Identity>;
}

/** Runs the slow part of a provider's response before its transaction: matches and verifies it. */
export async function prepareResponse(
  platform: Platform,
  response: ProviderResponse,
  caller: Caller,
) {
  const { state } = response;
  const sso = await getWorkspaceSso(platform, response.slug, caller);
  if (sso.protocol !== response.protocol) throw new Failure(NotConfigured);
  let test: { readonly startedBy: string; readonly returnTo: string } | undefined;
  const result = await catchRefusal(async () => {
    if (state === undefined)
      throw new LoginRefused("request_unknown", "The response does not belong to a sign-in.");
    const details = await matchRequest(platform, sso, state, caller);
    const { testedBy, returnTo } = details;
    if (testedBy !== undefined) test = { startedBy: testedBy, returnTo };
    const identity = await response.verify(sso, details);
    const sharedIds = await findSharedIds(platform.db, sso.key, identity);
    return { identity, sharedIds, ...details };
  });
  return { sso, result, test, stateHash: state === undefined ? undefined : sha256(state) };
}

/** Starts the session or records the rejection; consumes the login request in both cases. */
export async function finishLogin(
  ctx: WriteContext<
    | typeof LoggedIn
    | typeof UserActivated
    | typeof CredentialsRevoked
    | typeof SsoLoginFailed
    | typeof SsoTested
  >,
  { sso, result, test, stateHash }: Awaited<ReturnType<typeof prepareResponse>>,
) {
  ctx.switchPartition({ workspace: sso.key, environment: ctx.caller.environment });
  const isFirst = stateHash !== undefined && (await store.consumeRequest(ctx.tx, stateHash));
  const proven = await catchRefusal(async () => {
    if (result instanceof LoginRefused) throw result;
    if (!isFirst) throw new LoginRefused("request_unknown", "The sign-in was already completed.");
    await assertFirstUse(ctx, result.identity);
    return result;
  });
  if (test && isFirst) {
    await recordTrial(ctx, sso, { startedBy: test.startedBy, proven, ref: ssoRef(sso) });
    return { goTo: test.returnTo };
  }
  const outcome = await catchRefusal(async () => {
    if (proven instanceof LoginRefused) throw proven;
    return { user: await provisionMember(ctx, sso, proven), returnTo: proven.returnTo };
  });
  if (outcome instanceof LoginRefused) return recordRefusal(ctx, sso, outcome);
  const session = await startSession(ctx, outcome.user, [{ workspace: sso.key }], sso.key);
  const headers = { "set-cookie": buildSessionCookie(session, ctx.services.settings) };
  return { goTo: outcome.returnTo, headers };
}

/** Verifies a SAML response when it is called, with the login request. */
export function samlVerifier(response: string, { clock }: Platform): ProviderResponse["verify"] {
  return async (sso, { sent, origin }) => {
    if (sso.protocol !== "saml2" || sent.protocol !== "saml2") throw new Failure(NotConfigured);
    const { acs } = endpointUrls(origin, sso.slug);
    const { requestId } = sent;
    const saml = await protocols.saml();
    return saml.verifyResponse(sso.provider, { requestId, acs }, response, clock);
  };
}

export function oidcVerifier(
  query: Readonly<Record<string, string>>,
  platform: Platform,
): ProviderResponse["verify"] {
  return async (sso, { sent, origin }) => {
    if (sent.protocol !== "oidc") throw new Failure(NotConfigured);
    const relyingParty = await loadRelyingParty(platform, sso, origin);
    const oidc = await protocols.oidc();
    return oidc.verifyResponse(
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

/** Fails in the same way for a missing workspace and for one without single sign-on. */
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

/** A session from another provider does not prove who owns the account. */
function signedInAs({ credential }: Caller): { readonly signedInAs?: string } {
  const isOwn = credential?.kind === "session" && !credential.confinedTo;
  return isOwn ? { signedInAs: credential.user.id } : {};
}

/** Accepts only a local path, to prevent open redirects. */
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
  if (!isFirst) throw new LoginRefused("answer_replayed", "The assertion was already used.", email);
}

async function catchRefusal<T>(work: () => Promise<T>): Promise<T | LoginRefused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

/** Records the reason in the event log; the response does not reveal it. */
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
