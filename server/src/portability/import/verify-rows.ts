import type pg from "pg";
import { archiveError } from "../archive/reader.ts";
import { type ForeignKey, OF_OPEN_RUN, quote, type WorkspaceTable } from "../catalogue.ts";

interface VerifiedRows {
  readonly workspace: string;
  /** The local accounts of the archive's users. */
  readonly people: readonly string[];
  readonly tables: ReadonlySet<string>;
  /** The tables to check. Default: all. */
  readonly children?: ReadonlySet<string>;
}

/** Rejects rows that reference another workspace's data or users outside the archive. */
export async function verifyReferences(
  client: pg.Client,
  foreignKeys: readonly ForeignKey[],
  { workspace, people, tables, children = tables }: VerifiedRows,
): Promise<void> {
  for (const { child, parent, columns, parentColumns } of foreignKeys) {
    if (!children.has(child) || child === "workspaces") continue;
    const column = quote(columns[0] ?? "");
    if (parent === "users") {
      const { rowCount } = await client.query(
        `select from ${quote(child)} where workspace_id = $1 and ${column} <> all ($2) limit 1`,
        [workspace, people],
      );
      if (rowCount !== 0)
        throw archiveError(`has a row of ${child} of a person who is missing in the archive`);
    }
    if (!tables.has(parent) || parent === "workspaces" || columns.includes("workspace_id"))
      continue;
    const joined = columns.map(
      (name, index) => `c.${quote(name)} = p.${quote(parentColumns[index] ?? "")}`,
    );
    const { rowCount } = await client.query(
      `select from ${quote(child)} c join ${quote(parent)} p on ${joined.join(" and ")}
        where c.workspace_id = $1 and p.workspace_id <> $1 limit 1`,
      [workspace],
    );
    if (rowCount !== 0)
      throw archiveError(`has a row of ${child} that refers to another workspace`);
  }
}

/** Rejects rows that would start work immediately: they must be among the held rows and are verified with them. */
export async function verifyRest(
  client: pg.Client,
  { name, keyColumn, open }: WorkspaceTable,
  workspace: string,
): Promise<void> {
  // A row of a held run would reference a missing row.
  if (open === undefined || open === OF_OPEN_RUN) return;
  const { rowCount } = await client.query(
    `select from ${quote(name)} where ${quote(keyColumn)} = $1 and (${open}) limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError(`has a row of ${name} that would run immediately`);
}

/** Rejects memberships that start later, because the start time distinguishes imported ones. */
export async function verifyMemberships(client: pg.Client, workspace: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from memberships m join workspace_imports i using (workspace_id)
      where workspace_id = $1 and m.created_at > i.started_at limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError("has a membership with a future start");
}

/** Rejects jobs that name another workspace, because some run in the workspace of their payload. */
export async function verifyJobs(client: pg.Client, workspace: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from jobs j join workspaces w on w.key <> j.workspace_id
        and replace(lower(concat(j.payload, j.next_payload)), '-', '') like '%' || replace(w.key::text, '-', '') || '%'
      where j.workspace_id = $1 limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError("has a job for another workspace");
}

/** Leaves room for numbers that others take in the meantime. */
const NUMBERS_AHEAD = 1_000;

/** Advances identity columns, so that new rows follow the imported ones. The log uses epochs for this. */
export async function countIdentitiesOn(
  client: pg.Client,
  tables: readonly WorkspaceTable[],
  workspace: string,
): Promise<void> {
  for (const { name, identity } of tables) {
    if (identity === undefined || name === "events") continue;
    const column = quote(identity);
    await client.query(
      `select setval(s.sequence, n.greatest + ${NUMBERS_AHEAD})
         from (select pg_get_serial_sequence($1, $2)::regclass as sequence) s,
              (select max(${column}) as greatest from ${quote(name)} where workspace_id = $3) n
        where n.greatest > coalesce(pg_sequence_last_value(s.sequence), 0)`,
      [name, identity, workspace],
    );
  }
}
