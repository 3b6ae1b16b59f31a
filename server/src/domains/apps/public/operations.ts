/** Opens an app to people who have not signed in, and gives it a domain. */
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
  summary: "Read how an app is open to the public in this environment",
  permission: AppsRead,
  params: ById,
  response: item(
    Type.Object(
      {
        publication: Type.Union([Publication, Type.Null()], {
          description: "Null where it is not",
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
  summary: "Open an app to anyone, without signing in",
  description:
    "In the environment of the request. Strangers see its pages with the rights that you and whoever deployed it have " +
    "in common at that moment, of which they use only those for records, queries and reports, and nothing " +
    "beyond the app's own sources and actions; workflows start where an action is granted. How often they may is limited. It ends when you leave, or may no " +
    "longer deploy apps.",
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
  summary: "Serve a public app at a domain of its own",
  description:
    "The domain must lead here already: it is asked for an answer that only this installation can give. At the domain " +
    "there is the app and nothing else; nobody is signed in there. `null` gives the domain up.",
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
  summary: "Close an app to people who have not signed in",
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
    throw new Failure(DomainElsewhere, { detail: `It can't be reached: ${error.message}` });
  }
  throw new Failure(DomainElsewhere, { detail: "Another server answers there." });
}

/**
 * Throws for a host that is the installation's own, under whatever port or spelling: the app would stand in the place
 * of the API and of the page where people sign in. The caller's word for our address is worth nothing here.
 */
function assertForeign({ settings: { baseUrl, hosts } }: Platform, domain: string): string {
  if (baseUrl === undefined) {
    throw new Failure(DomainElsewhere, {
      detail: "Set MILLRACE_BASE_URL first: without it our own address can't be told from others.",
    });
  }
  const { protocol, hostname } = new URL(baseUrl);
  const url = `${protocol}//${domain}`;
  const asked = URL.canParse(url) ? new URL(url) : undefined;
  if (asked?.host !== domain || /^[\d.]+$/.test(asked.hostname)) {
    throw new Failure(DomainElsewhere, {
      detail: "A domain is a name, without the usual port, and no address of a machine.",
    });
  }
  if ([hostname, ...hosts].includes(asked.hostname)) {
    throw new Failure(DomainElsewhere, {
      detail: "This is the address of the installation itself.",
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
  summary: "Answer as only this installation can, so that it knows a domain that leads here",
  access: "public",
  params: object({ nonce: Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }) }),
  response: item(Type.Object({ proof: Type.String() }, { title: "DomainProof" })),
  example: { params: { nonce: "k7Jw0xJ3QmVbq2cX9dZrTq4Bk7Jw0xJ3" } },
  run: async ({ services }, { params: { nonce } }) => ({ proof: signNonce(services, nonce) }),
});

export const publicOperations = [getPublicApp, makePublic, setAppDomain, makePrivate, proveDomain];
