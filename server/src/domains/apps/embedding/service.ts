import { confinementOf } from "#domains/workflows/index.ts";
import { requireMembership, userIdOf, type WorkspaceRef } from "#kernel/access/caller.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { AppIsArchived } from "../definition/app.ts";
import * as apps from "../definition/store.ts";
import { findServed } from "../deployments/store.ts";
import { addressOf } from "../runtime/address.ts";
import { assertShort, durationMs, type EmbedToken, sign, type StoredToken } from "./embed-token.ts";
import { EmbedTokenCreated, EmbedTokenRevoked } from "./events.ts";
import * as store from "./store.ts";

export interface TokenDraft {
  readonly expiresIn: string;
  readonly pageId?: string;
  readonly context?: Record<string, unknown>;
  readonly allowedOrigins?: readonly string[];
}

/** Makes a token that acts for the caller, in this app alone. */
export async function issue(
  ctx: WriteContext<typeof EmbedTokenCreated> & { readonly workspace: WorkspaceRef },
  appId: string,
  draft: TokenDraft,
) {
  const app = await apps.get(ctx.tx, appId);
  if (app.status === "archived") throw new Failure(AppIsArchived);
  const { pageId = null, context = {}, allowedOrigins = [] } = draft;
  assertShort(context);
  const served = await findServed(ctx.tx, app.slug);
  const pages = [...app.pages, ...(served?.snapshot.pages ?? [])];
  const page = pages.find(({ id }) => id === pageId);
  if (pageId !== null && !page) throw invalidField("/pageId", "is not a page of this app");
  const expiresAtMs = ctx.now.getTime() + durationMs(draft.expiresIn);
  const { environment } = ctx.caller;
  const token: StoredToken = {
    id: newId("emb", ctx.now.getTime()),
    appId,
    environment,
    pageId,
    context,
    allowedOrigins: [...allowedOrigins],
    createdBy: userIdOf(ctx.caller),
    createdAt: ctx.now.toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    revokedAt: null,
    permissions: confinementOf(ctx.caller) ?? null,
    revision: 1,
  };
  store.insert(ctx, token);
  store.prune(ctx, appId);
  ctx.emit(EmbedTokenCreated, { id: token.id, displayName: app.name }, shown(token));
  const { workspace } = ctx;
  const claims = { id: token.id, workspace: workspace.key, environment, appId, pageId };
  const text = sign(ctx.services, { ...claims, context, allowedOrigins, expiresAtMs });
  const { slug } = requireMembership(ctx.caller, workspace.id).workspace;
  const url = addressOf(
    { origin: ctx.caller.origin, workspace: slug, slug: app.slug, path: page?.path ?? "/" },
    { embed_token: text },
  );
  return { id: token.id, token: text, expiresAt: token.expiresAt, url };
}

/** From now on the token is good for nothing. Once more is no event. */
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
  const data = { ...shown(token), revokedAt: ctx.now.toISOString() };
  ctx.emit(EmbedTokenRevoked, { id, displayName: name }, data);
}

function shown({ permissions: _, revision: __, ...token }: StoredToken): EmbedToken {
  return token;
}
