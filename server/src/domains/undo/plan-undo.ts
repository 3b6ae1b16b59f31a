import type { Caller } from "#kernel/access/caller.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { OperationInverse } from "#kernel/undo/inverse.ts";
import { type PlannedThing, planThing } from "./plan-call.ts";
import { type ChangedThing, type SelectedChanges, selectChanges } from "./select-changes.ts";
import { NothingToUndo, THINGS_MAX, TooManyChanges, type UndoInput } from "./undo.ts";

/** A resource with the plan of its domain. Resources changed in bulk are planned when they are locked. */
export interface UndoStep {
  readonly thing: ChangedThing;
  readonly plan?: PlannedThing;
  /** The reason of the domain's refusal. */
  readonly refusal?: Failure;
}

export interface UndoPlan extends Omit<SelectedChanges, "things"> {
  readonly steps: readonly UndoStep[];
}

/** Plans how each resource is restored, and prepares the calls outside the transaction. */
export async function planUndo(
  platform: Platform,
  input: UndoInput,
  caller: Caller,
): Promise<UndoPlan> {
  const { things, ...selected } = await platform.db.read(partitionOfCaller(caller), (tx) =>
    selectChanges({ tx, services: platform, caller }, input),
  );
  if (things.length === 0) {
    const types = [...selected.left.keys()].join(", ");
    throw new Failure(NothingToUndo, { detail: `Events of the type ${types} can't be undone.` });
  }
  const costly = things.filter((thing) => isSingle(thing) || isOneByOne(thing));
  if (costly.length > THINGS_MAX) throw new Failure(TooManyChanges);
  const steps: UndoStep[] = [];
  for (const thing of things) {
    steps.push(isSingle(thing) ? await planStep(platform, caller, thing) : { thing });
  }
  return { ...selected, steps };
}

function isSingle(
  thing: ChangedThing,
): thing is ChangedThing & { readonly inverse: OperationInverse } {
  return "get" in thing.inverse;
}

function isOneByOne({ inverse }: ChangedThing): boolean {
  return "lock" in inverse && inverse.oneByOne === true;
}

async function planStep(
  platform: Platform,
  caller: Caller,
  thing: ChangedThing & { readonly inverse: OperationInverse },
): Promise<UndoStep> {
  try {
    return { thing, plan: await planThing(platform, caller, thing) };
  } catch (error) {
    if (error instanceof Failure) return { thing, refusal: error };
    throw error;
  }
}
