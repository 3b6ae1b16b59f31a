import { authorityOf } from "#domains/identity/accounts/index.ts";
import { requireMembership, type WorkspaceRef } from "#kernel/access/caller.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { AppIsArchived } from "../definition/app.ts";
import * as apps from "../definition/store.ts";
import { findServed } from "../deployments/store.ts";
import { buildAppUrl } from "../runtime/address.ts";
import {
  assertContextFits,
  parseDurationMs,
  type EmbedToken,
  signToken,
  type StoredEmbedToken,
} from "./embed-token.ts";
import { EmbedTokenCreated, EmbedTokenRevoked } from "./events.ts";
import * as store from "./store.ts";

export interface EmbedTokenInput {
  readonly expiresIn: string;
  readonly pageId?: string;
  readonly context?: Record<string, unknown>;
  readonly allowedOrigins?: readonly string[];
}

/** Creates a token that acts for the caller, in this app alone. */
export async function createToken(
  ctx: WriteContext<typeof EmbedTokenCreated> & { readonly workspace: WorkspaceRef },
  appId: string,
  input: EmbedTokenInput,
) {
  const app = await apps.get(ctx.tx, appId);
  if (app.status === "archived") throw new Failure(AppIsArchived);
  const { pageId = null, context = {}, allowedOrigins = [] } = input;
  assertContextFits(context);
  const served = await findServed(ctx.tx, app.slug);
  const pages = [...app.pages, ...(served?.snapshot.pages ?? [])];
  const page = pages.find(({ id }) => id === pageId);
  if (pageId !== null && !page) throw invalidField("/pageId", "is not a page of this app");
  const expiresAtMs = ctx.now.getTime() + parseDurationMs(input.expiresIn);
  const { environment } = ctx.caller;
  const { runAs, permissions } = authorityOf(ctx.caller);
  const token: StoredEmbedToken = {
    id: newId("emb", ctx.now.getTime()),
    appId,
    environment,
    pageId,
    context,
    allowedOrigins: [...allowedOrigins],
    createdBy: runAs,
    createdAt: ctx.now.toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    revokedAt: null,
    permissions,
    revision: 1,
  };
  store.insert(ctx, token);
  store.deleteExpired(ctx, appId);
  ctx.emit(EmbedTokenCreated, { id: token.id, displayName: app.name }, tokenEventData(token));
  const { workspace } = ctx;
  const claims = { id: token.id, workspace: workspace.key, environment, appId, pageId };
  const text = signToken(ctx.services, { ...claims, context, allowedOrigins, expiresAtMs });
  const { slug } = requireMembership(ctx.caller, workspace.id).workspace;
  const url = buildAppUrl(
    { origin: ctx.caller.origin, workspace: slug, slug: app.slug, path: page?.path ?? "/" },
    { embed_token: text },
  );
  return { id: token.id, token: text, expiresAt: token.expiresAt, url };
}

/** Revokes a token; a second time emits no event. */
export async function revoke(
  ctx: WriteContext<typeof EmbedTokenRevoked>,
  appId: string,
  id: string,
): Promise<void> {
  const token = await store.lock(ctx.tx, appId, id);
  ctx.expectRevision(token.revision);
  if (token.revokedAt !== null) return;
  store.revoke(ctx, id);
  const { name } = await apps.get(ctx.tx, appId);
  const data = { ...tokenEventData(token), revokedAt: ctx.now.toISOString() };
  ctx.emit(EmbedTokenRevoked, { id, displayName: name }, data);
}

function tokenEventData({ permissions: _, revision: __, ...token }: StoredEmbedToken): EmbedToken {
  return token;
}
