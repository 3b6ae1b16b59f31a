import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { assertNoErrors, Conflict, Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { QueryCreated, QueryDeleted, QueryUpdated } from "./saved-query.ts";
import type { Inspection } from "./guard/guard.ts";
import { defaultParameters, type Parameter, checkParameters } from "./parameter.ts";
import { inspectQuery } from "./run/run-query.ts";
import { type SavedQuery, TooManyQueries } from "./saved-query.ts";
import * as store from "./store.ts";

const QUERIES_MAX = 2_000;

interface QueryInput {
  readonly name: string;
  readonly description?: string;
  readonly sql: string;
  readonly parameters?: readonly Parameter[];
}

/** Creates a query whose statement was inspected before. */
export async function create(
  ctx: WriteContext<typeof QueryCreated>,
  { name, description = "", sql, parameters }: QueryInput,
  inspection: Inspection,
): Promise<SavedQuery> {
  const resolved = validateParameters(parameters, inspection);
  await store.lockCount(ctx.tx);
  if ((await store.count(ctx.tx)) >= QUERIES_MAX) throw new Failure(TooManyQueries);
  const query = await store.insert(ctx.tx, {
    id: newId("qry", ctx.now.getTime()),
    name,
    description,
    sql,
    parameters: JSON.stringify(resolved),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(QueryCreated, queryRef(query), queryEventData(query));
  return query;
}

/** A statement with its inspection. */
export interface InspectedStatement {
  readonly sql: string;
  readonly inspection: Inspection;
}

/** Inspects the future statement of the query if it or its parameters change. */
export async function prepareUpdate(
  { db }: Platform,
  caller: Caller,
  id: string,
  { sql: changedSql, parameters }: Partial<QueryInput>,
): Promise<InspectedStatement | undefined> {
  if (changedSql === undefined && parameters === undefined) return undefined;
  const sql =
    changedSql ?? (await db.read(partitionOfCaller(caller), (tx) => store.get(tx, id))).sql;
  return { sql, inspection: await inspectQuery(caller, sql) };
}

/** Updates a query; its parameters always match its statement. */
export async function update(
  ctx: WriteContext<typeof QueryUpdated>,
  id: string,
  { parameters, ...change }: Partial<QueryInput>,
  prepared: InspectedStatement | undefined,
): Promise<SavedQuery> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (prepared) {
    // Inspection runs outside of the transaction, because all log readers wait for its end.
    if (prepared.sql !== (change.sql ?? before.sql)) throw new Failure(Conflict, STATEMENT_CHANGED);
    validateParameters(parameters ?? before.parameters, prepared.inspection);
  }
  const after = await store.update(ctx.tx, id, {
    ...change,
    ...(parameters && { parameters: JSON.stringify(parameters) }),
    updated_at: ctx.now,
  });
  ctx.emit(
    QueryUpdated,
    queryRef(after),
    diffResource(queryEventData(before), queryEventData(after)),
  );
  return after;
}

export async function remove(ctx: WriteContext<typeof QueryDeleted>, id: string): Promise<void> {
  const query = await store.lock(ctx.tx, id);
  ctx.expectRevision(query.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(QueryDeleted, queryRef(query), queryEventData(query));
}

const STATEMENT_CHANGED = { detail: "Another request changed the statement. Try again." };

function validateParameters(
  parameters: readonly Parameter[] | undefined,
  inspection: Inspection,
): readonly Parameter[] {
  const numbers = new Set(inspection.parameters.keys());
  const resolved = parameters ?? defaultParameters(numbers);
  assertNoErrors(checkParameters(resolved, numbers));
  return resolved;
}

function queryRef({ id, name }: SavedQuery) {
  return { id, displayName: name };
}

function queryEventData({ revision: _, ...query }: SavedQuery) {
  return query;
}
