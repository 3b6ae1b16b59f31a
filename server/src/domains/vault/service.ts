import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { SecretCreated, SecretDeleted, SecretUpdated } from "./secret.ts";
import type { Secret } from "./secret.ts";
import * as store from "./store.ts";

/** Encrypts the value before the transaction begins, so that nothing later has its text. */
export async function sealValue(
  { secrets }: Platform,
  { workspace }: Caller,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<Buffer> {
  if (!workspace) throw new Error("A secret belongs to a workspace.");
  return secrets.seal(workspace.key, name, value);
}

export async function create(
  ctx: WriteContext<typeof SecretCreated>,
  { name, description = "" }: { readonly name: string; readonly description?: string },
  sealed: Buffer,
): Promise<Secret> {
  const times = { created_at: ctx.now, updated_at: ctx.now };
  const secret = await store.insert(ctx.tx, { name, description, sealed, ...times });
  ctx.emit(SecretCreated, secretRef(secret), secretEventData(secret));
  return secret;
}

/** Gives a secret a new value; without a new description it keeps the old one. */
export async function rotate(
  ctx: WriteContext<typeof SecretUpdated>,
  name: string,
  change: { readonly description?: string; readonly sealed: Buffer },
): Promise<Secret> {
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  const after = await store.update(ctx.tx, name, { ...change, updated_at: ctx.now });
  const { changes, ...states } = diffResource(secretEventData(before), secretEventData(after));
  ctx.emit(SecretUpdated, secretRef(after), { ...states, changes: [...changes, "value"] });
  return after;
}

export async function remove(ctx: WriteContext<typeof SecretDeleted>, name: string): Promise<void> {
  const secret = await store.lock(ctx.tx, name);
  ctx.expectRevision(secret.revision);
  await store.remove(ctx.tx, name);
  ctx.emit(SecretDeleted, secretRef(secret), secretEventData(secret));
}

function secretRef({ name }: Secret) {
  return { id: name, displayName: name };
}

function secretEventData({ name, description }: Secret) {
  return { name, description };
}
