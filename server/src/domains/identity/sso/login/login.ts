import { UserActivated } from "#domains/identity/accounts/index.ts";
import { beginSession, cookieOf, LoggedIn } from "#domains/identity/sessions/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { addressesOf } from "../endpoint-urls.ts";
import { NotConfigured, type Protocol } from "../settings/configuration.ts";
import { SsoLoginFailed, SsoLoginStarted } from "../events.ts";
import type { Identity } from "../protocols/identity.ts";
import { provisionMember } from "./provision-member.ts";
import type { Relying } from "../protocols/oidc.ts";
import { LoginRefused, toldAs } from "./failure.ts";
import { type Begun, begin, type Details, match, newState } from "./request.ts";
import { clientSecretOf, referTo } from "../settings/service.ts";
import * as store from "../store.ts";

/** Where somebody lands who did not say. */
const LANDING = "/docs";
/** Nobody guesses anything here, and an office signs in from one address. */
const LOGINS_PER_PASSWORD_LOGIN = 6;
/** Loaded at the first login of their kind: their libraries take memory, and few use both. */
const protocols = {
  saml: () => import("../protocols/saml.ts"),
  oidc: () => import("../protocols/oidc.ts"),
};

interface Attempt<Result> {
  readonly place: store.Place;
  readonly result: Result | LoginRefused;
}

/** Everything about the beginning of a login that needs the network. */
export async function prepareStart(
  platform: Platform,
  asked: { readonly slug: string; readonly returnTo: string | undefined },
  caller: Caller,
): Promise<Attempt<Begun & { readonly goTo: string }>> {
  const place = await placeOf(platform, asked.slug, caller);
  const { origin } = caller;
  const returnTo = localPath(asked.returnTo ?? LANDING, origin);
  const state = newState();
  const result = await attempt(async () => {
    const { goTo, sent } = await destination(platform, place, { state, origin });
    return { ...(await begin(platform, place, state, { origin, returnTo, sent })), goTo };
  });
  return { place, result };
}

/** Keeps what the answer will be recognised by, and sends the browser on. */
export async function start(
  ctx: WriteContext<typeof SsoLoginStarted | typeof SsoLoginFailed>,
  { place, result }: Awaited<ReturnType<typeof prepareStart>>,
) {
  ctx.switchPartition({ workspace: place.key, environment: ctx.caller.environment });
  if (result instanceof LoginRefused) return refuse(ctx, place, result);
  const { stateHash, browserHash, details, expiresAt, goTo, cookie } = result;
  await store.insertRequest(
    ctx.tx,
    { state_hash: stateHash, browser_hash: browserHash, details, expires_at: expiresAt },
    ctx.now,
  );
  const { protocol } = place;
  ctx.emit(SsoLoginStarted, placeRef(place), { protocol, address: ctx.caller.address });
  return { goTo, headers: { "set-cookie": cookie } };
}

export interface Answer {
  readonly slug: string;
  readonly protocol: Protocol;
  readonly state: string | undefined;
  /** Reads who it is out of the answer, once it is known what was asked. */
  readonly read: (place: store.Place, details: Details) => Promise<Identity>;
}

/** Everything about an answer that needs the network or time: whose it is, and whether it is sound. */
export async function prepareAnswer(platform: Platform, answer: Answer, caller: Caller) {
  const { state } = answer;
  const place = await placeOf(platform, answer.slug, caller);
  if (place.protocol !== answer.protocol) throw new Failure(NotConfigured);
  const result = await attempt(async () => {
    if (state === undefined)
      throw new LoginRefused("request_unknown", "The answer names no login.");
    const details = await match(platform, place, state, caller);
    return { identity: await answer.read(place, details), returnTo: details.returnTo };
  });
  return { place, result, stateHash: state === undefined ? undefined : sha256(state) };
}

/** Begins the session, or says why not. Either way the request that was answered is used up. */
export async function conclude(
  ctx: WriteContext<typeof LoggedIn | typeof UserActivated | typeof SsoLoginFailed>,
  { place, result, stateHash }: Awaited<ReturnType<typeof prepareAnswer>>,
) {
  ctx.switchPartition({ workspace: place.key, environment: ctx.caller.environment });
  const first = stateHash !== undefined && (await store.takeRequest(ctx.tx, stateHash));
  const outcome = await attempt(async () => {
    if (result instanceof LoginRefused) throw result;
    if (!first) throw new LoginRefused("request_unknown", "The login was answered already.");
    await useOnce(ctx, result.identity);
    return { user: await provisionMember(ctx, place, result.identity), returnTo: result.returnTo };
  });
  if (outcome instanceof LoginRefused) return refuse(ctx, place, outcome);
  const session = await beginSession(ctx, outcome.user, [{ workspace: place.key }], place.key);
  const headers = { "set-cookie": cookieOf(session, ctx.services.settings) };
  return { goTo: outcome.returnTo, headers };
}

/** How the answers of either protocol are read. */
export function samlReader(response: string, { clock }: Platform): Answer["read"] {
  return async (place, { sent, origin }) => {
    if (place.protocol !== "saml2" || sent.protocol !== "saml2") throw new Failure(NotConfigured);
    const { acs } = addressesOf(origin, place.slug);
    const { requestId } = sent;
    const saml = await protocols.saml();
    return saml.readAnswer(place.provider, { requestId, acs }, response, clock);
  };
}

export function oidcReader(
  query: Readonly<Record<string, string>>,
  platform: Platform,
): Answer["read"] {
  return async (place, { sent, origin }) => {
    if (sent.protocol !== "oidc") throw new Failure(NotConfigured);
    const relying = await relyingOf(platform, place, origin);
    const oidc = await protocols.oidc();
    return oidc.readAnswer(platform, relying, { ...sent, state: query["state"] ?? "" }, query);
  };
}

async function destination(
  platform: Platform,
  place: store.Place,
  { state, origin }: { readonly state: string; readonly origin: string },
): Promise<{ readonly goTo: string; readonly sent: Details["sent"] }> {
  if (place.protocol === "saml2") {
    const requestId = `_${newState()}`;
    const { acs } = addressesOf(origin, place.slug);
    const saml = await protocols.saml();
    const goTo = await saml.requestUrl(place.provider, { requestId, acs }, state);
    return { goTo, sent: { protocol: "saml2", requestId } };
  }
  const oidc = await protocols.oidc();
  const secrets = oidc.newSecrets();
  const relying = await relyingOf(platform, place, origin);
  const goTo = await oidc.requestUrl(platform, relying, { ...secrets, state });
  return { goTo, sent: { protocol: "oidc", ...secrets } };
}

async function relyingOf(platform: Platform, place: store.Place, origin: string): Promise<Relying> {
  if (place.protocol !== "oidc") throw new Failure(NotConfigured);
  return {
    provider: place.provider,
    clientSecret: await clientSecretOf(platform, place),
    redirectUri: addressesOf(origin, place.slug).callback,
  };
}

/** A workspace that does not exist and one without single sign-on answer alike. */
async function placeOf(
  { db, rateLimit, settings }: Platform,
  slug: string,
  { address }: Caller,
): Promise<store.Place> {
  const limit = settings.loginRateLimit * LOGINS_PER_PASSWORD_LOGIN;
  rateLimit.assert(`sso from ${classifyAddress(address)}`, limit);
  const place = await store.findBySlug(db, slug);
  if (!place) throw new Failure(NotConfigured);
  return place;
}

/** A path of ours, so that nobody is led elsewhere by a link that begins here. */
function localPath(path: string, origin: string): string {
  const url = toLocalRedirect(path, origin);
  if (!url) throw invalidField("?returnTo", "must be a path");
  return `${url.pathname}${url.search}${url.hash}`;
}

async function useOnce(
  { tx, now }: WriteContext<never>,
  { assertion, email }: Identity,
): Promise<void> {
  if (!assertion) return;
  const { id, expiresAt } = assertion;
  const fresh = await store.useAssertion(tx, { idHash: sha256(id), expiresAt, now });
  if (!fresh) throw new LoginRefused("answer_replayed", "The assertion was used before.", email);
}

async function attempt<T>(work: () => Promise<T>): Promise<T | LoginRefused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

/** The log hears why; the person only that it was so. */
function refuse(
  ctx: WriteContext<typeof SsoLoginFailed>,
  place: store.Place,
  { reason, message, email }: LoginRefused,
): Failure {
  ctx.emit(SsoLoginFailed, placeRef(place), {
    protocol: place.protocol,
    reason,
    detail: message,
    address: ctx.caller.address,
    ...(email !== undefined && { email }),
  });
  return new Failure(toldAs(reason));
}

function placeRef({ key }: store.Place) {
  return referTo({ id: workspaceIdOf(key) });
}
