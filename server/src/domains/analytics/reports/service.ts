import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { KpiUpdated } from "../kpis/kpi.ts";
import { inheritReportAuthority } from "../kpis/report-authority.ts";
import { ReportCreated, ReportDeleted, ReportUpdated } from "./report.ts";
import {
  type Definition,
  toDefinition,
  type ReportInput,
  type Report,
  type ReportChange,
  ReportInUse,
  REPORTS_MAX,
  TooManyReports,
} from "./report.ts";
import { checkReport } from "./run-report.ts";
import * as store from "./store.ts";

type NewReport = ReportInput & { readonly name: string; readonly description?: string };

/** What is to be saved, checked as if it were run. */
export async function checked(
  platform: Platform,
  draft: ReportInput,
  caller: Caller,
): Promise<Definition> {
  const definition = toDefinition(draft);
  await checkReport({ platform, caller }, definition);
  return definition;
}

/** The definition that a change leads to, checked in the same way. */
export async function changed(
  platform: Platform,
  { id, change }: { readonly id: string; readonly change: ReportChange },
  caller: Caller,
): Promise<{ readonly definition: Definition; readonly revision: number }> {
  const { definition, revision } = await platform.db.read(partitionOfCaller(caller), (tx) =>
    store.get(tx, id),
  );
  const { name: _, description: __, ...parts } = change;
  const after = toDefinition(withoutNulls({ ...definition, ...parts }));
  if (Object.keys(parts).length > 0) await checkReport({ platform, caller }, after);
  return { definition: after, revision };
}

/** A draft leaves out what there is not. */
function withoutNulls(parts: object): ReportInput {
  const entries = Object.entries(parts).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as unknown as ReportInput;
}

export async function create(
  ctx: WriteContext<typeof ReportCreated>,
  { name, description = "" }: Pick<NewReport, "name" | "description">,
  definition: Definition,
): Promise<Report> {
  if ((await store.count(ctx.tx)) >= REPORTS_MAX) throw new Failure(TooManyReports);
  const report = await store.insert(ctx.tx, {
    id: newId("rpt", ctx.now.getTime()),
    name,
    description,
    definition: JSON.stringify(definition),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(ReportCreated, referTo(report), dataOf(report));
  return report;
}

export async function update(
  ctx: WriteContext<typeof ReportUpdated | typeof KpiUpdated>,
  id: string,
  { name, description }: Pick<Partial<NewReport>, "name" | "description">,
  { definition, revision }: { readonly definition: Definition; readonly revision?: number },
): Promise<Report> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  // What was checked would undo what somebody else has just done.
  if (revision !== undefined && revision !== before.revision) throw new Failure(Conflict);
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    definition: JSON.stringify(definition),
    updated_at: ctx.now,
  });
  ctx.emit(ReportUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  if (!isDeepStrictEqual(after.definition, before.definition))
    await inheritReportAuthority(ctx, id);
  return after;
}

export async function remove(ctx: WriteContext<typeof ReportDeleted>, id: string): Promise<void> {
  const report = await store.lock(ctx.tx, id);
  ctx.expectRevision(report.revision);
  const users = await usersOf(ctx.tx, id);
  if (users.length > 0) {
    throw new Failure(ReportInUse, { detail: `It is shown by ${users.join(", ")}.` });
  }
  await store.remove(ctx.tx, id);
  ctx.emit(ReportDeleted, referTo(report), dataOf(report));
}

/** The names of what would have nothing to show without it. */
async function usersOf(tx: Tx, id: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from dashboards where widgets @> ${JSON.stringify([{ reportId: id }])}::jsonb
    union all
    select name from kpis where measure ->> 'reportId' = ${id}
    limit 10`.execute(tx);
  return rows.map(({ name }) => name);
}

function referTo({ id, name }: Report) {
  return { id, displayName: name };
}

function dataOf(report: store.StoredReport): Report {
  const { definition: _, revision: __, ...data } = report;
  return data as Report;
}
