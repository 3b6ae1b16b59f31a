import type pg from "pg";
import { archiveError } from "../archive/reader.ts";
import { type ForeignKey, OF_OPEN_RUN, quote, type WorkspaceTable } from "../catalogue.ts";

interface VerifiedRows {
  readonly workspace: string;
  /** The accounts of the archive's people here. */
  readonly people: readonly string[];
  readonly tables: ReadonlySet<string>;
  /** Those whose rows are looked at; all of them unless told. */
  readonly children?: ReadonlySet<string>;
}

/** Refuses rows that refer to what belongs to another workspace, or to somebody who is not among its people. */
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
      if (rowCount !== 0) throw archiveError(`has a row of ${child} of somebody who is not in it`);
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

/** Refuses rows that would begin to work at once: they come among those that are held, and are verified with them. */
export async function verifyRest(
  client: pg.Client,
  { name, keyColumn, open }: WorkspaceTable,
  workspace: string,
): Promise<void> {
  // A row of a run that is held would refer to nothing.
  if (open === undefined || open === OF_OPEN_RUN) return;
  const { rowCount } = await client.query(
    `select from ${quote(name)} where ${quote(keyColumn)} = $1 and (${open}) limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError(`has a row of ${name} that would begin to work at once`);
}

/** Refuses memberships that are to begin later: by that those are told which an import brought. */
export async function verifyMemberships(client: pg.Client, workspace: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from memberships m join workspace_imports i using (workspace_id)
      where workspace_id = $1 and m.created_at > i.started_at limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError("has a membership that is to begin later than its import");
}

/** Refuses jobs that name another workspace: some are done where their payload says. */
export async function verifyJobs(client: pg.Client, workspace: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from jobs j join workspaces w on w.key <> j.workspace_id
        and replace(lower(concat(j.payload, j.next_payload)), '-', '') like '%' || replace(w.key::text, '-', '') || '%'
      where j.workspace_id = $1 limit 1`,
    [workspace],
  );
  if (rowCount !== 0) throw archiveError("has a job that names another workspace");
}

/** Leaves room for the numbers that others take in the meantime. */
const NUMBERS_AHEAD = 1_000;

/** New rows come after those that were imported, where a column counts them; the log has its epochs for that. */
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
