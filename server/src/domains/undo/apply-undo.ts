/** Restores resources in one transaction, each by its domain's rules, or records the reason of a refusal. */
import { holdsPermission } from "#kernel/access/permission.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import {
  Conflict,
  Failure,
  permissionFailure,
  PreconditionFailed,
} from "#kernel/operation/failure.ts";
import { type ChangeConflict, differingFields, foldChanges } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse, LockedThings, Reversal } from "#kernel/undo/inverse.ts";
import type { PlannedCall } from "./plan-call.ts";
import type { UndoStep } from "./plan-undo.ts";
import { withoutTransitions } from "./refuse-transitions.ts";
import type { ChangedThing } from "./select-changes.ts";
import {
  LISTED_MAX,
  TooManyConflicts,
  type UndoConflict,
  type UndoneChange,
  UndoRefused,
} from "./undo.ts";

/** The batch size, because each resource can be a megabyte. */
const BATCH_THINGS = 250;
/** The maximum number of refusals, because each needs separate attempts. */
const REFUSALS_MAX = 1_000;

/** The growing outcome of an undo. */
export class UndoOutcome {
  things = 0;
  conflictCount = 0;
  readonly changes: UndoneChange[] = [];
  readonly conflicts: UndoConflict[] = [];
  readonly isStrict: boolean;
  /** Revisions of rows that this undo has locked and changed itself. */
  readonly lockedRevisions = new Map<string, number>();
  #refusals = 0;

  constructor(isStrict: boolean) {
    this.isStrict = isStrict;
  }

  note({ inverse, id }: ChangedThing, act: UndoneChange["act"], fields: readonly string[]): void {
    this.things += 1;
    if (this.changes.length >= LISTED_MAX) return;
    const resource = { type: inverse.resourceType, id };
    this.changes.push({ resource, act, fields: [...fields] });
  }

  /** Records an unchanged part. */
  conflict({ inverse, id }: ChangedThing, { eventId, field, message }: ChangeConflict): void {
    const resource = { type: inverse.resourceType, id };
    const path = `/${resource.type}/${id}${field === "" ? "" : `/${field}`}`;
    this.conflictCount += 1;
    if (this.conflicts.length < LISTED_MAX) {
      this.conflicts.push({ resource, eventId, path, message });
    }
  }

  /** Records that the caller cannot see all changes to undo. */
  noteHidden({ resource, id: eventId }: RecordedEvent): void {
    this.conflictCount += 1;
    const { type, id } = resource;
    const message = "belongs to several changes, and you may not be able to see all of them";
    this.conflicts.push({ resource: { type, id }, eventId, path: `/${type}/${id}`, message });
  }

  /** Records a refusal by the domain. One is enough in all-or-nothing mode. */
  refuse(thing: ChangedThing, refusal: Failure): void {
    this.#refusals += 1;
    if (this.#refusals > REFUSALS_MAX) throw new Failure(TooManyConflicts);
    const { errors = [] } = refusal.particulars;
    const first = errors[0];
    const isOwn = first !== undefined && !first.path.startsWith(`/${thing.id}`);
    const field = isOwn ? first.path.replace(/^\//, "") : "";
    const message = first ? `${first.message}` : refusal.message;
    this.conflict(thing, { eventId: thing.event.id, field, message });
    if (this.isStrict) this.assertWhole();
  }

  /** Throws in all-or-nothing mode if something can't be undone. */
  assertWhole(): void {
    if (!this.isStrict || this.conflictCount === 0) return;
    const errors = this.conflicts.map(({ path, message }) => ({ path, message }));
    const [first] = errors;
    throw new Failure(UndoRefused, { detail: `${first?.path} ${first?.message}`, errors });
  }
}

export async function applyUndo(
  outer: WriteContext,
  steps: readonly UndoStep[],
  outcome: UndoOutcome,
): Promise<void> {
  const ctx = withoutTransitions(outer);
  const separable: UndoStep[] = [];
  for (const step of steps) {
    const { event, transition } = step.thing;
    if (transition === undefined) separable.push(step);
    else {
      const message = `belongs to ${transition}, which can't be undone`;
      outcome.conflict(step.thing, { eventId: event.id, field: "", message });
    }
  }
  outcome.assertWhole();
  for (const group of groupSteps(separable)) {
    const [first] = group;
    if (first && isBulk(first.thing)) {
      await revertGroup(ctx, group.map(({ thing }) => thing) as BulkThing[], outcome);
    } else for (const step of group) await revertSingle(ctx, step, outcome);
  }
  outcome.assertWhole();
}

type BulkThing = ChangedThing & { readonly inverse: BulkInverse };

function isBulk(thing: ChangedThing): thing is BulkThing {
  return "lock" in thing.inverse;
}

/** Groups consecutive steps that can be undone together, newest first. */
function groupSteps(steps: readonly UndoStep[]): UndoStep[][] {
  const groups: UndoStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const [neighbour] = last ?? [];
    const goes = neighbour && isSameGroup(neighbour.thing, step.thing);
    if (last && goes && last.length < BATCH_THINGS) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function isSameGroup(one: ChangedThing, other: ChangedThing): boolean {
  if (!isBulk(one) || !isBulk(other)) return !isBulk(one) && !isBulk(other);
  const { inverse } = one;
  return inverse === other.inverse && inverse.groupOf(one.event) === inverse.groupOf(other.event);
}

async function revertSingle(
  ctx: WriteContext,
  { thing, plan, refusal }: UndoStep,
  outcome: UndoOutcome,
): Promise<void> {
  if (refusal) outcome.refuse(thing, refusal);
  for (const conflict of plan?.conflicts ?? []) outcome.conflict(thing, conflict);
  const call = plan?.call;
  if (!call || (outcome.isStrict && outcome.conflictCount > 0)) return;
  try {
    await ctx.savepoint(() => performCall(ctx, call, outcome.lockedRevisions.get(thing.id)));
    outcome.note(thing, call.act, call.fields);
  } catch (error) {
    outcome.refuse(thing, toRefusal(error));
  }
}

const UNIQUE_VIOLATION = "23505";

/** The refusal of a domain. Other errors are bugs. */
function toRefusal(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
  return new Failure(Conflict, { detail: "has a name that is now used by something else" });
}

async function performCall(
  ctx: WriteContext,
  call: PlannedCall,
  lockedRevision: number | undefined,
): Promise<void> {
  if (call.act === "restored") return call.restore.run(ctx, call.state, call.prepared);
  const { op, input, prepared, revision } = call;
  const expectRevision = (present: number) => {
    // A row locked by this undo cannot have been changed by others since.
    if (revision === undefined || revision === (lockedRevision ?? present)) return;
    throw new Failure(PreconditionFailed, { detail: "was changed by another request" });
  };
  const caller = { ...ctx.caller, isUndo: true as const };
  const value = await op.run(
    { ...ctx, caller, expectRevision } as never,
    input as never,
    prepared as never,
  );
  if (value instanceof Failure) throw value;
}

async function revertGroup(
  ctx: WriteContext,
  things: readonly BulkThing[],
  outcome: UndoOutcome,
): Promise<void> {
  const [first] = things;
  if (!first) return;
  const { inverse, event } = first;
  const group = inverse.groupOf(event);
  let locked: LockedThings;
  try {
    if (!holdsPermission(ctx.caller.permissions, inverse.permission)) {
      throw permissionFailure(inverse.permission.name);
    }
    const ids = things.map(({ id }) => id);
    locked = await inverse.lock(ctx, group, ids);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    for (const thing of things) outcome.refuse(thing, error);
    return;
  }
  for (const [id, revision] of locked.revisions ?? []) {
    if (!outcome.lockedRevisions.has(id)) outcome.lockedRevisions.set(id, revision);
  }
  const planned = things.flatMap((thing) => planReversal(thing, locked, outcome));
  if (outcome.isStrict && outcome.conflictCount > 0) return;
  await writeReversals(ctx, { inverse, group, planned }, outcome);
  ctx.flush();
}

interface PlannedReversal {
  readonly thing: BulkThing;
  readonly reversal: Reversal;
}

function planReversal(
  thing: BulkThing,
  { states, fields, hiddenFields }: LockedThings,
  outcome: UndoOutcome,
): PlannedReversal[] {
  const { id, changes, event } = thing;
  const current = states.get(id) ?? null;
  const hidden = current && hiddenFields ? hiddenFields(current) : NONE;
  if (!hidden) {
    outcome.conflict(thing, {
      eventId: event.id,
      field: "",
      message: "does not exist, or you can't see it",
    });
    return [];
  }
  const { target, conflicts } = foldChanges(current, changes, fields);
  for (const conflict of withoutNames(conflicts, hidden)) outcome.conflict(thing, conflict);
  if (!current && !target) return [];
  const names = current && target ? differingFields(current, target, fields) : [];
  if (current && target && names.length === 0) return [];
  return [{ thing, reversal: { id, current, target, fields: names } }];
}

const NONE: ReadonlySet<string> = new Set();

/** Conflicts that do not reveal which hidden fields differ. */
function withoutNames(
  conflicts: readonly ChangeConflict[],
  hidden: ReadonlySet<string>,
): readonly ChangeConflict[] {
  const visible = conflicts.filter(({ field }) => !hidden.has(field));
  const rest = conflicts.find(({ field }) => hidden.has(field));
  if (!rest) return visible;
  return [
    ...visible,
    { ...rest, field: "", message: "was changed later by changes that you can't see" },
  ];
}

/** Writes all at once. On a refusal, splits into halves until the refused ones are identified. */
async function writeReversals(
  ctx: WriteContext,
  {
    inverse,
    group,
    planned,
  }: { inverse: BulkInverse; group: string; planned: readonly PlannedReversal[] },
  outcome: UndoOutcome,
): Promise<void> {
  const parts: (readonly PlannedReversal[])[] = [planned];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [first] = part;
    if (!first) continue;
    const batch = part;
    try {
      const reversals = batch.map(({ reversal }) => reversal);
      await ctx.savepoint(() => inverse.write(ctx, group, reversals));
      for (const { thing, reversal } of batch) {
        outcome.note(thing, actOf(reversal), reversal.fields);
      }
    } catch (error) {
      const refusal = toRefusal(error);
      if (batch.length === 1) {
        outcome.refuse(first.thing, refusal);
        continue;
      }
      const middle = Math.ceil(batch.length / 2);
      parts.push(batch.slice(middle), batch.slice(0, middle));
    }
  }
}

function actOf({ current, target }: Reversal): UndoneChange["act"] {
  if (!current) return "restored";
  return target ? "changed" : "deleted";
}
