import { createHash } from "node:crypto";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { MigrationCreated, MigrationDeleted, MigrationUpdated } from "./migration.ts";
import {
  AppliedSomewhere,
  type Migration,
  MIGRATIONS_MAX,
  type MigrationStep,
  TooManyMigrations,
} from "./migration.ts";
import { type ReadSteps, readSteps } from "./parse-steps.ts";
import * as store from "./store.ts";

/** What somebody says of a migration, read. */
export interface Draft {
  readonly name?: string;
  readonly up?: readonly MigrationStep[];
  readonly down?: readonly MigrationStep[] | null;
}

/** Reads what a body says; refuses it with all its faults. */
export async function readDraft(
  caller: Caller,
  body: {
    readonly name?: string;
    readonly up?: readonly unknown[];
    readonly down?: readonly unknown[] | null;
  },
): Promise<Draft> {
  const { name, up, down } = body;
  const { workspace } = partitionOfCaller(caller);
  const upward = up && (await readSteps(up, { path: "/up", workspace }));
  const downward = down && (await readSteps(down, { path: "/down", workspace }));
  refuseFaults([...(upward?.faults ?? []), ...(downward?.faults ?? [])]);
  return {
    ...(name !== undefined && { name }),
    ...(upward && { up: upward.steps }),
    ...(down !== undefined && { down: downward?.steps ?? null }),
  };
}

/** Steps that were read before they were kept, for who takes them. */
export async function readKept(
  caller: Caller,
  steps: readonly MigrationStep[],
  path: string,
): Promise<ReadSteps> {
  const read = await readSteps(steps, { path, workspace: partitionOfCaller(caller).workspace });
  // What may be said may have changed since.
  refuseFaults(read.faults);
  return read;
}

export async function create(
  ctx: WriteContext<typeof MigrationCreated>,
  { name = "", up = [], down = null }: Draft,
): Promise<Migration> {
  const number = await store.nextNumber(ctx.tx);
  if ((await store.count(ctx.tx)) >= MIGRATIONS_MAX) throw new Failure(TooManyMigrations);
  const migration = await store.insert(ctx.tx, {
    id: newId("mig", ctx.now.getTime()),
    number,
    name,
    ...stepsRow(up, down),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(MigrationCreated, referTo(migration), dataOf(migration));
  return migration;
}

/** Where it had failed it is to be tried anew, and where it was rolled back it was another one. */
export async function update(
  ctx: WriteContext<typeof MigrationUpdated>,
  id: string,
  { name, up, down }: Draft,
): Promise<Migration> {
  const before = await unapplied(ctx, id);
  const isOther = up !== undefined || down !== undefined;
  if (isOther) await store.removeStates(ctx.tx, id);
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(isOther && stepsRow(up ?? before.up, down === undefined ? before.down : down)),
    updated_at: ctx.now,
  });
  ctx.emit(MigrationUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

export async function remove(
  ctx: WriteContext<typeof MigrationDeleted>,
  id: string,
): Promise<void> {
  const migration = await unapplied(ctx, id);
  await store.remove(ctx.tx, id);
  ctx.emit(MigrationDeleted, referTo(migration), dataOf(migration));
}

/** How events name it. */
export function referTo({ id, name }: Migration) {
  return { id, displayName: name };
}

/** As events tell it. */
export function dataOf({ id, number, name, checksum, up }: Migration) {
  return { id, number, name, checksum, steps: up.length };
}

/** One that is applied nowhere. */
async function unapplied(ctx: WriteContext<never>, id: string): Promise<Migration> {
  const migration = await store.lock(ctx.tx, id);
  ctx.expectRevision(migration.revision);
  const places = Object.entries(migration.statuses).filter(([, status]) => status === "applied");
  if (places.length > 0) {
    const names = places.map(([environment]) => environment).join(", ");
    throw new Failure(AppliedSomewhere, { detail: `The migration is applied in ${names}.` });
  }
  return migration;
}

function stepsRow(up: readonly MigrationStep[], down: readonly MigrationStep[] | null) {
  const [upward, downward] = [JSON.stringify(up), down && JSON.stringify(down)];
  const checksum = createHash("sha256").update(`${upward}\n${downward}`).digest("hex");
  return { up: upward, down: downward, checksum };
}

function refuseFaults(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}
