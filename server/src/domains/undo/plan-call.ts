/** The call that restores one resource: operation, input, and preparation outside the transaction. */
import type { Caller } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure, NotFound, permissionFailure } from "#kernel/operation/failure.ts";
import { validateInput } from "#kernel/operation/execution/compiled-operation.ts";
import { authorise } from "#kernel/operation/layers/authorisation.ts";
import type { RawInput } from "#kernel/operation/invocation.ts";
import {
  type Change,
  type ChangeConflict,
  differingFields,
  type FoldedChanges,
  foldChanges,
  type State,
} from "#kernel/undo/fold-changes.ts";
import { collapseParts, expandChange, expandParts, namesOfParts } from "#kernel/undo/parts.ts";
import type { OperationInverse, Restoration } from "#kernel/undo/inverse.ts";
import { changesNothingSettable } from "#kernel/undo/separable.ts";
import type { ChangedThing } from "./select-changes.ts";

/** The restoring call of one resource, and the parts that stay unchanged. */
export interface PlannedThing {
  readonly conflicts: readonly ChangeConflict[];
  readonly call: PlannedCall | undefined;
}

export type PlannedCall =
  | {
      readonly act: "changed" | "deleted";
      readonly op: Operation;
      readonly input: RawInput;
      readonly prepared: unknown;
      /** The revision that the plan is based on. */
      readonly revision: number | undefined;
      readonly fields: readonly string[];
    }
  | {
      readonly act: "restored";
      readonly restore: Restoration;
      readonly state: State;
      readonly prepared: unknown;
      readonly fields: readonly string[];
    };

/** Throws the failures of the domain. */
export async function planThing(
  platform: Platform,
  caller: Caller,
  { inverse, id, changes }: ChangedThing & { readonly inverse: OperationInverse },
): Promise<PlannedThing> {
  const ops = {
    get: getOperation(platform, inverse.get),
    update: inverse.update === undefined ? undefined : getOperation(platform, inverse.update),
    remove: inverse.remove === undefined ? undefined : getOperation(platform, inverse.remove),
  };
  const current = await readThing(platform, caller, ops.get, id);
  const fields = new Set(Object.keys(bodyFields(ops.update)));
  const { target, conflicts } = foldParts(current, changes, { fields, lists: inverse.parts ?? [] });
  const plan = (call: PlannedCall | undefined) => ({ conflicts, call });
  if (!target && !current) return plan(undefined);
  if (!target) return plan(await prepareCall(platform, caller, ops.remove, { id, current }));
  if (!current) return plan(await prepareRestoration(platform, caller, inverse, target));
  const names = differingFields(current, target, fields);
  if (names.length === 0) {
    const fixed = changes.filter(
      ({ before, after, fields: changed }) =>
        before && after && changesNothingSettable(platform, inverse, changed),
    );
    const refusals = fixed.map(({ eventId, fields: [field = ""] }) => ({
      eventId,
      field,
      message: FIXED,
    }));
    return { conflicts: [...conflicts, ...refusals], call: undefined };
  }
  const body = Object.fromEntries(names.map((name) => [name, target[name] ?? null]));
  return plan(await prepareCall(platform, caller, ops.update, { id, current, body }));
}

const FIXED = "can't be undone";

/** Combines changes with each part of a list as a separate field. */
function foldParts(
  current: State | null,
  changes: readonly Change[],
  { fields, lists }: { readonly fields: ReadonlySet<string>; readonly lists: readonly string[] },
): FoldedChanges {
  if (!current || lists.length === 0) return foldChanges(current, changes, fields);
  const present = expandParts(current, lists);
  const expanded = changes.map((change) => expandChange(change, lists));
  const states = [present, ...expanded.flatMap(({ before, after }) => [before ?? {}, after ?? {}])];
  const all = new Set([...fields, ...namesOfParts(states, lists)]);
  const { target, conflicts } = foldChanges(present, expanded, all);
  const former = changes.flatMap(({ before }) => (before ? [before] : []));
  return {
    target: target && collapseParts(target, lists, { current: present, former }),
    conflicts,
  };
}

function getOperation({ operations }: Platform, id: string): Operation {
  const op = operations.get(id);
  if (!op) throw new Error(`An inverse names ${id}, which is no operation.`);
  return op;
}

function bodyFields(op: Operation | undefined): Readonly<Record<string, unknown>> {
  return (op?.body as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
}

async function readThing(
  platform: Platform,
  caller: Caller,
  op: Operation,
  id: string,
): Promise<State | null> {
  authorise(op, caller);
  const input = validateInput(op, { params: { [paramOf(op)]: id }, query: {}, body: undefined });
  try {
    const prepared = await op.prepare?.(platform, input as never, caller);
    return await platform.db.read(partitionOfCaller(caller), async (tx) => {
      const now = platform.clock.now();
      const ctx = { tx, now, caller, services: platform, workspace: caller.workspace };
      return (await op.run(ctx as never, input as never, prepared as never)) as State;
    });
  } catch (error) {
    if (error instanceof Failure && error.type.status === NotFound.status) return null;
    throw error;
  }
}

async function prepareCall(
  platform: Platform,
  caller: Caller,
  op: Operation | undefined,
  { id, current, body }: { id: string; current: State | null; body?: State },
): Promise<PlannedCall> {
  if (!op || op.afterCommit || op.issuesCredential || op.actsOutside) {
    throw new Failure(NotFound, { detail: "It can't be deleted by an undo." });
  }
  authorise(op, caller);
  const input = validateInput(op, { params: { [paramOf(op)]: id }, query: undefined, body });
  const prepared = await op.prepare?.(platform, input as never, caller);
  const revision = current?.["revision"];
  return {
    act: body ? "changed" : "deleted",
    op,
    input,
    prepared,
    revision: typeof revision === "number" ? revision : undefined,
    fields: Object.keys(body ?? {}),
  };
}

async function prepareRestoration(
  platform: Platform,
  caller: Caller,
  { restore }: OperationInverse,
  state: State,
): Promise<PlannedCall> {
  if (!restore) throw new Failure(NotFound, { detail: "It can't be restored by an undo." });
  if (!holdsPermission(caller.permissions, restore.permission)) {
    throw permissionFailure(restore.permission.name);
  }
  const prepared = await restore.prepare(platform, state, caller);
  return { act: "restored", restore, state, prepared, fields: [] };
}

/** The name of the only path parameter of an operation. */
function paramOf({ params, id }: Operation): string {
  const [name, ...more] = Object.keys(params?.properties ?? {});
  if (name === undefined || more.length > 0) throw new Error(`${id} takes more than an id.`);
  return name;
}
