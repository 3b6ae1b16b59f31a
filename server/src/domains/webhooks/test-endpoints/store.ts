import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import { REQUESTS_KEPT_MAX, type TestRequest } from "./test-endpoint.ts";

export type EndpointRow = Selectable<Tables["test_endpoints"]>;

/** Serializes the creation of endpoints in this workspace, so that the limit holds. */
export async function countLocked(tx: Tx, now: Date): Promise<number> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended('test endpoints of ' || current_setting('millrace.workspace'), 0))`.execute(
    tx,
  );
  const { n } = await tx
    .selectFrom("test_endpoints")
    .select((row) => row.fn.countAll<number>().as("n"))
    .where("expires_at", ">", now.toISOString())
    .executeTakeFirstOrThrow();
  return n;
}

export function insert(
  tx: Tx,
  row: {
    readonly id: string;
    readonly name: string;
    readonly token: string;
    readonly answer_status: number;
    readonly answer_body: string;
    readonly created_by: string;
    readonly created_at: Date;
    readonly expires_at: Date;
  },
): Promise<EndpointRow> {
  return tx.insertInto("test_endpoints").values(row).returningAll().executeTakeFirstOrThrow();
}

/** Endpoints that have not expired, newest first. */
export function list(
  tx: Tx,
  now: Date,
  page: { readonly before: string; readonly limit: number },
): Promise<EndpointRow[]> {
  return tx
    .selectFrom("test_endpoints")
    .selectAll()
    .where("id", "<", page.before)
    .where("expires_at", ">", now.toISOString())
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

export async function get(tx: Tx, id: string, now: Date): Promise<EndpointRow> {
  return assertFound(await byId(tx, id, now).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string, now: Date): Promise<EndpointRow> {
  return assertFound(await byId(tx, id, now).forUpdate().executeTakeFirst());
}

export function update(
  tx: Tx,
  id: string,
  change: {
    readonly name: string | undefined;
    readonly answer_status: number | undefined;
    readonly answer_body: string | undefined;
  },
): Promise<EndpointRow> {
  return tx
    .updateTable("test_endpoints")
    .set(change)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("test_endpoints").where("id", "=", id).execute();
}

const FIND = `
  select id, workspace_id, answer_status, answer_body, received from test_endpoints
   where token = $1 and expires_at > $2`;

export type Addressed = Pick<
  EndpointRow,
  "id" | "workspace_id" | "answer_status" | "answer_body" | "received"
>;

/** The endpoint of a URL, in any workspace; expired ones are not found. */
export async function findByToken(
  db: Database,
  token: string,
  now: Date,
): Promise<Addressed | undefined> {
  return (await db.system<Addressed>(FIND, [token, now]))[0];
}

/**
 * The lower-case names of headers that any webhook of the workspace fills with secrets: URLs cannot be compared,
 * because one address can be written in many ways.
 */
export async function listSecretHeaders(tx: Tx): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select distinct lower(h.key) as name from webhooks w, jsonb_each_text(w.headers) h
     where strpos(h.value, 'secrets.') > 0`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/** Stores a request as the next of its endpoint, and deletes the oldest ones beyond the limit. */
export async function insertRequest(
  tx: Tx,
  endpointId: string,
  request: Omit<TestRequest, "number" | "receivedAt">,
  now: Date,
): Promise<void> {
  const row = await tx
    .updateTable("test_endpoints")
    .set((old) => ({ received: old("received", "+", 1) }))
    .where("id", "=", endpointId)
    .returning("received")
    .executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  await tx
    .insertInto("test_endpoint_requests")
    .values({
      endpoint_id: endpointId,
      number: row.received,
      query: JSON.stringify(request.query),
      headers: JSON.stringify({ ...request.headers, [METHOD]: request.method }),
      body: request.body,
      bytes: request.bytes,
      answered: request.answered,
      received_at: now,
    })
    .execute();
  await tx
    .deleteFrom("test_endpoint_requests")
    .where("endpoint_id", "=", endpointId)
    .where("number", "<=", row.received - REQUESTS_KEPT_MAX)
    .execute();
}

/** The newest first. */
export async function listRequests(
  tx: Tx,
  endpointId: string,
  page: { readonly before: number; readonly limit: number },
): Promise<TestRequest[]> {
  const rows = await tx
    .selectFrom("test_endpoint_requests")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where("number", "<", page.before)
    .orderBy("number", "desc")
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({
    number: row.number,
    // Only `insertRequest` writes these.
    ...splitMethod(row.headers as Record<string, string>),
    query: row.query as Record<string, string>,
    body: row.body,
    bytes: row.bytes,
    answered: row.answered,
    receivedAt: row.received_at,
  }));
}

/** The method is stored as a header as in HTTP/2; clients cannot send a header with this name. */
const METHOD = ":method";

function splitMethod({ [METHOD]: method = "POST", ...headers }: Record<string, string>) {
  return { method, headers };
}

function byId(tx: Tx, id: string, now: Date) {
  return tx
    .selectFrom("test_endpoints")
    .selectAll()
    .where("id", "=", id)
    .where("expires_at", ">", now.toISOString());
}

function assertFound(row: EndpointRow | undefined): EndpointRow {
  if (!row) throw new Failure(NotFound);
  return row;
}
