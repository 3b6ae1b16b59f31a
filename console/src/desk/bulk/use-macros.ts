import { call, type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { count } from "../../ui/words.ts";
import type { Kind } from "../ticket-kind.ts";
import type { PlannedAct } from "./act-preview.tsx";
import type { BulkAct, BulkStep, BulkUndo } from "./bulk-acts.ts";

type Macro = Schemas["ListedMacro"];

/** The macros of the user's teams and shared macros, in order. Macros without kinds apply to all. */
export function useMacros(kind?: Kind): readonly Macro[] {
  const may = useMay();
  const enabled = may("macros.list");
  const { data } = useOp("macros.list", { query: { limit: 50, sort: "position" } }, { enabled });
  const all = data?.data ?? [];
  return kind === undefined
    ? all
    : all.filter(({ kinds }) => kinds.length === 0 || kinds.includes(kind));
}

/** Actions that the server can't undo: comments are sent, and transitions do not record the previous state. */
const FINAL_ACTS: ReadonlySet<string> = new Set([
  "comment",
  "resolve",
  "close",
  "reopen",
  "cancel",
]);

export function planMacro({ id, name, steps }: Macro, ids: readonly string[]): PlannedAct {
  const isFinal = steps.some(({ act }) => FINAL_ACTS.has(act));
  return {
    label: name,
    title: `${name}: ${count(ids.length, "ticket")}`,
    ids,
    ...(isFinal && {
      note: "You can't undo this macro, because it adds comments or changes the state of tickets.",
    }),
    send: async (some, dryRun) =>
      (await call("macros.run", { params: { id }, body: { ids: some, dryRun } })).data,
  };
}

const sendSteps = async (ids: readonly string[], acts: readonly BulkStep[], dryRun: boolean) =>
  (await call("tickets.bulk", { body: { ids, acts, dryRun } })).data;

/** Returns the steps that do not depend on the dialog's form, such as a tag. */
export function planSteps(
  label: string,
  steps: readonly BulkStep[],
  ids: readonly string[],
): PlannedAct {
  return {
    label,
    title: `${label}: ${count(ids.length, "ticket")}`,
    ids,
    send: (some, dryRun) => sendSteps(some, steps, dryRun),
  };
}

export function planAct(act: BulkAct, ids: readonly string[]): PlannedAct {
  const { label, title, fields, sample, effect, toSteps, undo } = act;
  return {
    label: label.replace("…", ""),
    title: title(count(ids.length, "ticket")),
    ids,
    ...(fields && { fields }),
    ...(sample && { sample }),
    ...(effect !== undefined && { effect }),
    send: (some, dryRun, values) => {
      const steps = toSteps(dryRun ? { ...values, ...sample } : values);
      return steps && sendSteps(some, steps, dryRun);
    },
    ...(undo && { undo: (done) => undoAll(undo(done)) }),
  };
}

async function undoAll(undos: readonly BulkUndo[]): Promise<void> {
  for (const { ids, steps } of undos) await sendSteps(ids, steps, false);
}
