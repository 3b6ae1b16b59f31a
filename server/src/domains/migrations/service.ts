import { createHash } from "node:crypto";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, assertNoErrors } from "#kernel/operation/failure.ts";
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
import { type ParsedSteps, parseSteps } from "./parse-steps.ts";
import * as store from "./store.ts";

/** The body of a request, parsed. */
export interface MigrationInput {
  readonly name?: string;
  readonly up?: readonly MigrationStep[];
  readonly down?: readonly MigrationStep[] | null;
}

/** Parses a body; fails with all its errors. */
export async function parseMigrationInput(
  caller: Caller,
  body: {
    readonly name?: string;
    readonly up?: readonly unknown[];
    readonly down?: readonly unknown[] | null;
  },
): Promise<MigrationInput> {
  const { name, up, down } = body;
  const { workspace } = partitionOfCaller(caller);
  const upSteps = up && (await parseSteps(up, { path: "/up", workspace }));
  const downSteps = down && (await parseSteps(down, { path: "/down", workspace }));
  assertNoErrors([...(upSteps?.errors ?? []), ...(downSteps?.errors ?? [])]);
  return {
    ...(name !== undefined && { name }),
    ...(upSteps && { up: upSteps.steps }),
    ...(down !== undefined && { down: downSteps?.steps ?? null }),
  };
}

/** Parses stored steps before they are run. */
export async function parseStoredSteps(
  caller: Caller,
  steps: readonly MigrationStep[],
  path: string,
): Promise<ParsedSteps> {
  const parsed = await parseSteps(steps, { path, workspace: partitionOfCaller(caller).workspace });
  // A later release may allow less.
  assertNoErrors(parsed.errors);
  return parsed;
}

export async function create(
  ctx: WriteContext<typeof MigrationCreated>,
  { name = "", up = [], down = null }: MigrationInput,
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
  ctx.emit(MigrationCreated, migrationRef(migration), migrationEventData(migration));
  return migration;
}

/** Updates it; a failed or rolled-back migration with changed steps is pending again. */
export async function update(
  ctx: WriteContext<typeof MigrationUpdated>,
  id: string,
  { name, up, down }: MigrationInput,
): Promise<Migration> {
  const before = await lockUnapplied(ctx, id);
  const isChanged = up !== undefined || down !== undefined;
  if (isChanged) await store.removeStates(ctx.tx, id);
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(isChanged && stepsRow(up ?? before.up, down === undefined ? before.down : down)),
    updated_at: ctx.now,
  });
  ctx.emit(
    MigrationUpdated,
    migrationRef(after),
    diffResource(migrationEventData(before), migrationEventData(after)),
  );
  return after;
}

export async function remove(
  ctx: WriteContext<typeof MigrationDeleted>,
  id: string,
): Promise<void> {
  const migration = await lockUnapplied(ctx, id);
  await store.remove(ctx.tx, id);
  ctx.emit(MigrationDeleted, migrationRef(migration), migrationEventData(migration));
}

export function migrationRef({ id, name }: Migration) {
  return { id, displayName: name };
}

export function migrationEventData({ id, number, name, checksum, up }: Migration) {
  return { id, number, name, checksum, steps: up.length };
}

/** Locks a migration that is applied nowhere. */
async function lockUnapplied(ctx: WriteContext<never>, id: string): Promise<Migration> {
  const migration = await store.lock(ctx.tx, id);
  ctx.expectRevision(migration.revision);
  const applied = Object.entries(migration.statuses).filter(([, status]) => status === "applied");
  if (applied.length > 0) {
    const names = applied.map(([environment]) => environment).join(", ");
    throw new Failure(AppliedSomewhere, { detail: `The migration is applied in ${names}.` });
  }
  return migration;
}

function stepsRow(up: readonly MigrationStep[], down: readonly MigrationStep[] | null) {
  const [upSteps, downSteps] = [JSON.stringify(up), down && JSON.stringify(down)];
  const checksum = createHash("sha256").update(`${upSteps}\n${downSteps}`).digest("hex");
  return { up: upSteps, down: downSteps, checksum };
}
