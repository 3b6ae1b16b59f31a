import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { haveOwnValues } from "#domains/workspaces/index.ts";
import { diffResource } from "#kernel/log/event.ts";
import {
  type EnvironmentWithOwn,
  type Secret,
  SecretCreated,
  SecretDeleted,
  SecretEnvironmentRemoved,
  SecretEnvironmentSet,
  SecretUpdated,
} from "./secret.ts";
import * as store from "./store.ts";

interface SecretValue {
  readonly name: string;
  /** Set for a value of a single environment. */
  readonly environment?: EnvironmentWithOwn;
  readonly value: string;
}

/** Encrypts the value before the transaction, so that no later code has its text. */
export async function sealValue(
  { secrets }: Platform,
  { workspace }: Caller,
  { value, ...of }: SecretValue,
): Promise<Buffer> {
  if (!workspace) throw new Error("A secret belongs to a workspace.");
  return secrets.seal({ workspace: workspace.key, ...of }, value);
}

export async function create(
  ctx: WriteContext<typeof SecretCreated>,
  { name, description = "", ...input }: { readonly name: string } & SecretChange,
  sealed: Buffer,
): Promise<Secret> {
  const ownValuesOnly = input.ownValuesOnly ?? (await haveOwnValues(ctx));
  const secret = await store.insert(ctx.tx, {
    name,
    description,
    own_values_only: ownValuesOnly,
    sealed,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(SecretCreated, secretRef(secret), secretEventData(secret));
  return secret;
}

/** Sets a new value of a secret. Without a new description, the old one is kept. */
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

/** The fields of a secret that change without its value. */
interface SecretChange {
  readonly description?: string;
  readonly ownValuesOnly?: boolean;
}

/** Changes the public fields of a secret. A change without differences is ignored. */
export async function update(
  ctx: WriteContext<typeof SecretUpdated>,
  name: string,
  { description, ownValuesOnly }: SecretChange,
): Promise<Secret> {
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  const change = {
    ...(description !== undefined && { description }),
    ...(ownValuesOnly !== undefined && { own_values_only: ownValuesOnly }),
  };
  const isSame =
    (description ?? before.description) === before.description &&
    (ownValuesOnly ?? before.ownValuesOnly) === before.ownValuesOnly;
  if (isSame) return before;
  const after = await store.update(ctx.tx, name, { ...change, updated_at: ctx.now });
  ctx.emit(
    SecretUpdated,
    secretRef(after),
    diffResource(secretEventData(before), secretEventData(after)),
  );
  return after;
}

/** Sets the value of a secret in an environment. */
export async function setEnvironment(
  ctx: WriteContext<typeof SecretEnvironmentSet>,
  { name, environment }: Pick<SecretValue, "name"> & { readonly environment: EnvironmentWithOwn },
  sealed: Buffer,
): Promise<Secret> {
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  await store.setEnvironment(ctx.tx, { name, environment, sealed, updated_at: ctx.now });
  ctx.emit(SecretEnvironmentSet, secretRef(before), { name, environment });
  // Also updated if only the value changed, so that an earlier revision becomes outdated.
  return store.update(ctx.tx, name, { updated_at: ctx.now });
}

export async function removeEnvironment(
  ctx: WriteContext<typeof SecretEnvironmentRemoved>,
  { name, environment }: Pick<SecretValue, "name"> & { readonly environment: EnvironmentWithOwn },
): Promise<void> {
  const secret = await store.lock(ctx.tx, name);
  ctx.expectRevision(secret.revision);
  await store.removeEnvironment(ctx.tx, name, environment);
  await store.update(ctx.tx, name, { updated_at: ctx.now });
  ctx.emit(SecretEnvironmentRemoved, secretRef(secret), { name, environment });
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

function secretEventData({ name, description, ownValuesOnly }: Secret) {
  return { name, description, ownValuesOnly };
}
