import type { OpenTable } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { findPastState, PastNotKept } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { assertVisible, toVisibleRecord } from "../record-access.ts";
import { NoSuchRecord, type TableRecord } from "../record.ts";

/**
 * A record as it was, in the columns of today: one that has another name or is gone since is left out, as is what is
 * computed. The table's rules of today decide, on the record of then.
 */
export async function readPastRecord(
  ctx: ReadContext,
  table: OpenTable,
  { recordId, asOf }: { readonly recordId: string; readonly asOf: string },
): Promise<TableRecord> {
  const { schema } = table;
  const found = await findPastState(ctx.tx, {
    resourceType: "record",
    id: recordId,
    asOf,
    now: ctx.now,
    marks: ["id", "createdAt", "createdBy"],
    created: ["record.created"],
    deleted: ["record.deleted"],
    among: { field: "tableId", value: schema.id },
  });
  if (!found) throw new Failure(PastNotKept);
  const { event, state } = found;
  // As if it were made so: a change of hidden fields alone is hidden, and the record is not.
  const { tableId, tableSlug, tableRevision } = event.data;
  const data = { ...state, tableId, tableSlug, tableRevision };
  const whole = { ...event, type: "record.created", data };
  const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, [whole]);
  if (visible.length === 0) throw new Failure(NoSuchRecord);
  const names = ["id", "createdAt", "updatedAt", "createdBy", ...schema.byName.keys()];
  const known = names.filter((name) => Object.hasOwn(state, name));
  // The log has records as they were written.
  const record = Object.fromEntries(
    known.map((name) => [name, state[name]]),
  ) as unknown as TableRecord;
  await assertVisible(table, record);
  return toVisibleRecord(table, record);
}
