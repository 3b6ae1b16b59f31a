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
  /** Of a value that is one environment's own. */
  readonly environment?: EnvironmentWithOwn;
  readonly value: string;
}

/** Encrypts the value before the transaction begins, so that nothing later has its text. */
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

/** The fields of a secret that change without its value. */
interface SecretChange {
  readonly description?: string;
  readonly ownValuesOnly?: boolean;
}

/** Changes what is known of a secret; a change that changes nothing is none. */
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

/** Gives a secret a value of its own in an environment. */
export async function setEnvironment(
  ctx: WriteContext<typeof SecretEnvironmentSet>,
  { name, environment }: Pick<SecretValue, "name"> & { readonly environment: EnvironmentWithOwn },
  sealed: Buffer,
): Promise<Secret> {
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  await store.setEnvironment(ctx.tx, { name, environment, sealed, updated_at: ctx.now });
  ctx.emit(SecretEnvironmentSet, secretRef(before), { name, environment });
  // Also where only the value is another: whoever read the secret before knows an older one.
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
