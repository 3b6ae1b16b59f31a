import { open, seal } from "#kernel/access/crypto.ts";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { shownAddresses } from "../endpoint-urls.ts";
import { fingerprintsOf } from "../protocols/certificate.ts";
import { type SsoInput, NotConfigured } from "./configuration.ts";
import { normalizeSsoInput } from "./configuration-input.ts";
import { SsoDeleted, SsoUpdated } from "../events.ts";
import { assertGrantable } from "../role.ts";
import * as store from "../store.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };

export async function get(ctx: In<ReadContext>) {
  return shown(ctx, await found(store.find(ctx.tx)));
}

/** Sets the configuration as a whole: what the draft leaves out is as if it had never been set. */
export async function put(ctx: In<WriteContext<typeof SsoUpdated>>, draft: SsoInput) {
  const { tx, services, caller, workspace } = ctx;
  const settled = normalizeSsoInput(draft);
  await assertGrantable(tx, services, settled.defaultRole, caller.permissions);
  const before = await store.lock(tx);
  ctx.expectRevision(before?.revision ?? 0);
  const key = await services.keys.of(workspace.key);
  const { clientSecret } = draft;
  const sealed =
    clientSecret === undefined
      ? null
      : seal(key, Buffer.from(clientSecret), contextOf(workspace.key));
  const after = await store.put(tx, settled, sealed, ctx.now);
  ctx.emit(SsoUpdated, referTo(workspace), logged(after));
  return shown(ctx, after);
}

export async function remove(ctx: In<WriteContext<typeof SsoDeleted>>): Promise<void> {
  const stored = await found(store.lock(ctx.tx));
  ctx.expectRevision(stored.revision);
  await store.remove(ctx.tx);
  ctx.emit(SsoDeleted, referTo(ctx.workspace), logged(stored));
}

/** The client secret in the clear, for the one call that needs it. */
export async function clientSecretOf(
  { keys }: PlatformServices,
  { key, clientSecret }: store.Place,
): Promise<string> {
  if (!clientSecret) throw new Error("An OIDC configuration has no client secret.");
  return open(await keys.of(key), clientSecret, contextOf(key)).toString();
}

/** A configuration has no id of its own: a workspace has one, or none. */
export function referTo({ id }: Pick<WorkspaceRef, "id">) {
  return { id, displayName: "Single sign-on" };
}

function contextOf(workspaceKey: string): string {
  return `SSO client secret of ${workspaceKey}`;
}

async function found(looked: Promise<store.Stored | undefined>): Promise<store.Stored> {
  const stored = await looked;
  if (!stored) throw new Failure(NotConfigured);
  return stored;
}

function shown({ caller, workspace }: In<ReadContext>, stored: store.Stored) {
  const { protocol, revision, createdAt, updatedAt } = stored;
  const slug = [...(caller.credential?.memberships.values() ?? [])].find(
    (member) => member.workspace.key === workspace.key,
  )?.workspace.slug;
  return {
    protocol,
    ...rulesOf(stored),
    ...stored.provider,
    ...shownAddresses(caller.origin, slug ?? "", protocol),
    createdAt,
    updatedAt,
    revision,
  };
}

function logged(stored: store.Stored) {
  const rules = { protocol: stored.protocol, ...rulesOf(stored) };
  if (stored.protocol === "oidc") return { ...rules, ...stored.provider };
  const { certificate, ...provider } = stored.provider;
  return { ...rules, ...provider, certificateFingerprints: fingerprintsOf(certificate) };
}

function rulesOf({ jitProvisioning, defaultRole, enforceSSO, clientSecret }: store.Stored) {
  return { jitProvisioning, defaultRole, enforceSSO, hasClientSecret: clientSecret !== null };
}
