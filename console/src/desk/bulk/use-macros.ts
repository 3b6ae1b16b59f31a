import { call, type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Kind } from "../ticket-kind.ts";
import type { PlannedAct } from "./act-preview.tsx";

type Macro = Schemas["ListedMacro"];
type Step = Macro["steps"][number];

/** The macros of one's teams and of everyone, in their order; those without kinds fit all. */
export function useMacros(kind?: Kind): readonly Macro[] {
  const may = useMay();
  const enabled = may("macros:run");
  const { data } = useOp("macros.list", { query: { limit: 50, sort: "position" } }, { enabled });
  const all = data?.data ?? [];
  return kind === undefined
    ? all
    : all.filter(({ kinds }) => kinds.length === 0 || kinds.includes(kind));
}

export function planMacro({ id, name }: Macro, ids: readonly string[]): PlannedAct {
  return {
    label: name,
    ids,
    send: async (some, dryRun) =>
      (await call("macros.run", { params: { id }, body: { ids: some, dryRun } })).data,
  };
}

export function planActs(label: string, acts: readonly Step[], ids: readonly string[]): PlannedAct {
  return {
    label,
    ids,
    send: async (some, dryRun) =>
      (await call("tickets.bulk", { body: { ids: some, acts, dryRun } })).data,
  };
}
