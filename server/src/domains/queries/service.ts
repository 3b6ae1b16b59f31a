import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { QueryCreated, QueryDeleted, QueryUpdated } from "./saved-query.ts";
import type { Inspection } from "./guard/guard.ts";
import { nameless, type Parameter, parameterFaults, throwIfAny } from "./parameter.ts";
import { inspectQuery } from "./run-query.ts";
import { type SavedQuery, TooManyQueries } from "./saved-query.ts";
import * as store from "./store.ts";

const QUERIES_MAX = 2_000;

interface Draft {
  readonly name: string;
  readonly description?: string;
  readonly sql: string;
  readonly parameters?: readonly Parameter[];
}

/** The statement was inspected before. */
export async function create(
  ctx: WriteContext<typeof QueryCreated>,
  { name, description = "", sql, parameters }: Draft,
  inspection: Inspection,
): Promise<SavedQuery> {
  const all = checked(parameters, inspection);
  await store.lockCount(ctx.tx);
  if ((await store.count(ctx.tx)) >= QUERIES_MAX) throw new Failure(TooManyQueries);
  const query = await store.insert(ctx.tx, {
    id: newId("qry", ctx.now.getTime()),
    name,
    description,
    sql,
    parameters: JSON.stringify(all),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(QueryCreated, referTo(query), dataOf(query));
  return query;
}

/** A statement, and what is to be known of it. */
export interface Inspected {
  readonly sql: string;
  readonly inspection: Inspection;
}

/** Inspects the statement that the query will have, where that or its parameters are to be others. */
export async function prepareUpdate(
  { db }: Platform,
  caller: Caller,
  id: string,
  { sql: given, parameters }: Partial<Draft>,
): Promise<Inspected | undefined> {
  if (given === undefined && parameters === undefined) return undefined;
  const sql = given ?? (await db.read(partitionOfCaller(caller), (tx) => store.get(tx, id))).sql;
  return { sql, inspection: await inspectQuery(caller, sql) };
}

/** Its statement and its parameters always fit together, whichever of them is changed. */
export async function update(
  ctx: WriteContext<typeof QueryUpdated>,
  id: string,
  { parameters, ...change }: Partial<Draft>,
  prepared: Inspected | undefined,
): Promise<SavedQuery> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (prepared) {
    // Nothing is inspected in here, where everybody who reads the log waits for the end.
    if (prepared.sql !== (change.sql ?? before.sql)) throw new Failure(Conflict, CHANGED);
    checked(parameters ?? before.parameters, prepared.inspection);
  }
  const after = await store.update(ctx.tx, id, {
    ...change,
    ...(parameters && { parameters: JSON.stringify(parameters) }),
    updated_at: ctx.now,
  });
  ctx.emit(QueryUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

export async function remove(ctx: WriteContext<typeof QueryDeleted>, id: string): Promise<void> {
  const query = await store.lock(ctx.tx, id);
  ctx.expectRevision(query.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(QueryDeleted, referTo(query), dataOf(query));
}

const CHANGED = { detail: "The statement was changed meanwhile; try again." };

function checked(
  parameters: readonly Parameter[] | undefined,
  inspection: Inspection,
): readonly Parameter[] {
  const places = new Set(inspection.parameters.keys());
  const all = parameters ?? nameless(places);
  throwIfAny(parameterFaults(all, places));
  return all;
}

function referTo({ id, name }: SavedQuery) {
  return { id, displayName: name };
}

function dataOf({ revision: _, ...query }: SavedQuery) {
  return query;
}
