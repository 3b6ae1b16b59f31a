/** Publishes an app for visitors without an account, and sets its domain. */
import { randomBytes } from "node:crypto";
import Type from "typebox";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/error.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { AppId, AppIsArchived } from "../definition/app.ts";
import { get as getApp } from "../definition/store.ts";
import { AppsDeploy, AppsRead } from "../permissions.ts";
import { AppDomainSet, AppMadePrivate, AppMadePublic } from "./events.ts";
import {
  deletePublication,
  Domain,
  DomainElsewhere,
  DomainTaken,
  findPublication,
  lockPublication,
  NotPublic,
  Publication,
  putPublication,
  setDomain,
  toPublication,
} from "./publication.ts";

const ById = object({ id: AppId });
const example = { params: { id: "app_01jd0000000000000000000000" } };
const CHECK_TIMEOUT_MS = 10_000;
const CHECK_BYTES_MAX = 4_096;
const NONCE_BYTES = 24;

const getPublicApp = query({
  id: "apps.get_public",
  route: "GET /api/v1/apps/{id}/public",
  summary: "Get the publication of an app",
  permission: AppsRead,
  params: ById,
  response: item(
    Type.Object(
      {
        publication: Type.Union([Publication, Type.Null()], {
          description: "Null if the app is not public",
        }),
      },
      { title: "AppAccess" },
    ),
  ),
  example,
  async run({ tx }, { params: { id } }) {
    await getApp(tx, id);
    const found = await findPublication(tx, id);
    return { publication: found ? toPublication(found) : null, revision: found?.revision ?? 0 };
  },
});

const makePublic = command({
  id: "apps.make_public",
  effect: "drastic",
  route: "POST /api/v1/apps/{id}/public",
  summary: "Publish an app for everyone",
  description:
    "Publishes the app in the environment of the request without sign-in. Visitors use the permissions that both you and the member who deployed the app have, only for records, queries and reports, and limited to the data sources and actions of the app; workflows start if an action is granted. Requests are rate limited. The publication ends when you leave, or lose the permission to deploy apps.",
  permission: AppsDeploy,
  params: ById,
  response: item(Publication),
  emits: [AppMadePublic],
  fails: [AppIsArchived],
  example,
  async run(ctx, { params: { id } }) {
    const app = await getApp(ctx.tx, id);
    if (app.status === "archived") throw new Failure(AppIsArchived);
    const { runAs, permissions } = authorityOf(ctx.caller);
    const stored = await putPublication(ctx, { appId: id, publicBy: runAs, permissions });
    const publication = toPublication(stored);
    ctx.emit(AppMadePublic, { id, displayName: app.name }, publication);
    return { ...publication, revision: stored.revision };
  },
});

const setAppDomain = command({
  id: "apps.set_domain",
  effect: "drastic",
  route: "PUT /api/v1/apps/{id}/domain",
  summary: "Set the domain of a public app",
  description:
    "The DNS of the domain must point to this server: it is checked with a request that only this installation can answer. The domain serves only the app, without sign-in. `null` removes the domain.",
  permission: AppsDeploy,
  params: ById,
  body: object({ domain: nullable(Domain) }),
  response: item(Publication),
  emits: [AppDomainSet],
  fails: [NotPublic, DomainTaken, DomainElsewhere],
  example: { ...example, body: { domain: "orders.example.com" } },
  async prepare(platform, { body: { domain } }) {
    if (domain !== null) await assertLeadsHere(platform, domain);
  },
  async run(ctx, { params: { id }, body: { domain } }) {
    const app = await getApp(ctx.tx, id);
    if (!(await lockPublication(ctx, id))) throw new Failure(NotPublic);
    const stored = await setDomain(ctx, id, domain);
    if (!stored) throw new Failure(NotPublic);
    const publication = toPublication(stored);
    ctx.emit(AppDomainSet, { id, displayName: app.name }, publication);
    return { ...publication, revision: stored.revision };
  },
});

const makePrivate = command({
  id: "apps.make_private",
  route: "DELETE /api/v1/apps/{id}/public",
  summary: "Unpublish an app",
  permission: AppsDeploy,
  params: ById,
  allowNoop: true,
  response: noContent(),
  emits: [AppMadePrivate],
  example,
  async run(ctx, { params: { id } }) {
    const app = await getApp(ctx.tx, id);
    if (!(await lockPublication(ctx, id))) return;
    const stored = await deletePublication(ctx, id);
    if (stored) ctx.emit(AppMadePrivate, { id, displayName: app.name }, toPublication(stored));
  },
});

/** Throws unless the domain is another name of this installation. */
async function assertLeadsHere(platform: Platform, domain: string): Promise<void> {
  const protocol = assertForeign(platform, domain);
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  try {
    const { status, body } = await platform.outbound.request({
      method: "GET",
      url: `${protocol}//${domain}/.well-known/millrace-domain/${nonce}`,
      headers: { accept: "application/json" },
      timeoutMs: CHECK_TIMEOUT_MS,
      maxResponseBytes: CHECK_BYTES_MAX,
      allowHttp: true,
    });
    const expected = Buffer.from(JSON.stringify({ data: { proof: signNonce(platform, nonce) } }));
    if (status === 200 && equalBytes(expected, Buffer.from(body))) return;
  } catch (error) {
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error;
    throw new Failure(DomainElsewhere, { detail: `The domain can't be reached: ${error.message}` });
  }
  throw new Failure(DomainElsewhere, { detail: "The domain points to another server." });
}

/**
 * Throws for a host of the installation itself, with any port or spelling: the app would replace the API and the
 * login page. The Host header of the caller is not trusted for this.
 */
function assertForeign({ settings: { baseUrl, hosts } }: Platform, domain: string): string {
  if (baseUrl === undefined) {
    throw new Failure(DomainElsewhere, {
      detail: "Set MILLRACE_BASE_URL first, so that the URL of this installation is known.",
    });
  }
  const { protocol, hostname } = new URL(baseUrl);
  const url = `${protocol}//${domain}`;
  const asked = URL.canParse(url) ? new URL(url) : undefined;
  if (asked?.host !== domain || /^[\d.]+$/.test(asked.hostname)) {
    throw new Failure(DomainElsewhere, {
      detail: "A domain must be a host name, not an IP address, without the default port.",
    });
  }
  if ([hostname, ...hosts].includes(asked.hostname)) {
    throw new Failure(DomainElsewhere, {
      detail: "This is the domain of the installation.",
    });
  }
  return protocol;
}

function signNonce({ masterKey }: Pick<PlatformServices, "masterKey">, nonce: string): string {
  return hmac(masterKey.derive("app domains"), nonce).toString("base64url");
}

const proveDomain = query({
  id: "apps.prove_domain",
  route: "GET /.well-known/millrace-domain/{nonce}",
  summary: "Confirm a domain for the domain check",
  access: "public",
  params: object({ nonce: Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }) }),
  response: item(Type.Object({ proof: Type.String() }, { title: "DomainProof" })),
  example: { params: { nonce: "k7Jw0xJ3QmVbq2cX9dZrTq4Bk7Jw0xJ3" } },
  run: async ({ services }, { params: { nonce } }) => ({ proof: signNonce(services, nonce) }),
});

export const publicOperations = [getPublicApp, makePublic, setAppDomain, makePrivate, proveDomain];
