/** Common rules of all import operations: required states and a valid mapping. */
import { findKeyColumn } from "#domains/records/index.ts";
import type { openTable } from "#domains/tables/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { type ImportState, ImportWrongState } from "./import.ts";
import type * as store from "./store.ts";
import { importJob } from "./work.ts";
import { planLines, planTable } from "./write/line-plan.ts";

/** Throws a 409 unless the import is in one of these states. */
export function assertState(state: ImportState, allowed: readonly ImportState[]): void {
  if (allowed.includes(state)) return;
  throw new Failure(ImportWrongState, {
    detail: `The import is ${state.replace("_", " ")}.`,
    extra: { state },
  });
}

/** Throws a 422 if the mapping or the key does not fit the table. */
export function checkMapping(
  { caller }: Pick<WriteContext, "caller">,
  row: store.ImportRow,
  existing: Awaited<ReturnType<typeof openTable>> | undefined,
): void {
  const schema = existing?.schema ?? planTable(row, partitionOfCaller(caller));
  const plan = planLines(schema, row);
  if (row.key_field === null) return;
  const { name } = findKeyColumn(schema, row.key_field);
  if (!plan.some(({ column }) => column.name === name))
    throw invalidField("/key", "is not part of the mapping");
}

/** Continues an import in a job after the commit. */
export function enqueueWork(ctx: Pick<WriteContext, "enqueue" | "caller">, importId: string): void {
  ctx.enqueue(importJob, { ...partitionOfCaller(ctx.caller), importId }, { key: importId });
}
