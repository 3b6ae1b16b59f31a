import type { WriteContext } from "#kernel/contract.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { isUndoable } from "#kernel/undo/inverse.ts";
import { applyUndo, UndoOutcome } from "./apply-undo.ts";
import { planUndo, type UndoPlan } from "./plan-undo.ts";
import {
  NoSuchChange,
  NothingToUndo,
  TooManyChanges,
  TooManyConflicts,
  UndoableTypes,
  UndoInput,
  UndoRefused,
  UndoResult,
  UndoWrite,
} from "./undo.ts";

export const listUndoableTypes = query({
  id: "undo.list_types",
  route: "GET /api/v1/undo/types",
  summary: "List event types that can be undone",
  permission: UndoWrite,
  response: item(UndoableTypes),
  async prepare(platform) {
    const types = platform.eventTypes.map(({ type }) => type);
    return { types: types.filter((type) => isUndoable(platform, [type])) };
  },
  run: async (_ctx, _input, prepared) => prepared,
});

export const performUndo = command({
  id: "undo.perform",
  effect: "drastic",
  route: "POST /api/v1/undo",
  summary: "Undo changes",
  description:
    "Reverts the change of one event, or all changes of one request, import, macro or run, in one transaction: created resources are deleted, updated resources get their previous values, deleted resources are restored with their ids. The rules of each resource and your permissions apply. The undo appends normal events with the undone events as their cause, so you can undo it as well. Fields that were changed later are conflicts: 409 `undo_refused` lists them in `errors` by path; `onConflict: skip` undoes the rest. `left` contains event types that can't be undone. Fields that already have their previous values are not changed.",
  permission: UndoWrite,
  body: UndoInput,
  response: item(UndoResult),
  emits: [],
  publishes: true,
  composes: true,
  allowNoop: true,
  fails: [NoSuchChange, NothingToUndo, TooManyChanges, TooManyConflicts, UndoRefused],
  example: { body: { correlationId: "cor_01jzt3n5k8q2x4v6w8y0z2b4d6", dryRun: true } },
  prepare: (platform, { body }, caller) => planUndo(platform, body, caller),
  async run(ctx, { body: { dryRun = false, onConflict } }, plan): Promise<UndoResult> {
    // The domains declare the types of its events.
    const outer = ctx as unknown as WriteContext;
    const { caller } = ctx;
    const { correlationId, depth, ...origin } = caller.cause;
    const cause = { ...origin, correlationId, depth, causationId: plan.first.id };
    ctx.setActor(caller.actor, cause);
    const work = () => undo(outer, plan, onConflict !== "skip");
    const outcome = dryRun ? await rehearse(outer, work) : await work();
    const { things, changes, conflicts, conflictCount } = outcome;
    const left = [...plan.left].map(([type, count]) => ({ type, count }));
    return { correlationId, dryRun, things, changes, conflicts, conflictCount, left };
  },
});

async function undo(ctx: WriteContext, plan: UndoPlan, isStrict: boolean): Promise<UndoOutcome> {
  const outcome = new UndoOutcome(isStrict);
  if (plan.hasHidden) outcome.noteHidden(plan.first);
  await applyUndo(ctx, plan.steps, outcome);
  return outcome;
}

class DryRunEnd {
  readonly outcome: UndoOutcome;

  constructor(outcome: UndoOutcome) {
    this.outcome = outcome;
  }
}

/** Does everything and rolls it back. */
async function rehearse(ctx: WriteContext, work: () => Promise<UndoOutcome>): Promise<UndoOutcome> {
  try {
    return await ctx.savepoint(async () => {
      throw new DryRunEnd(await work());
    });
  } catch (error) {
    if (error instanceof DryRunEnd) return error.outcome;
    throw error;
  }
}
