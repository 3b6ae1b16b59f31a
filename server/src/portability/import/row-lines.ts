/** Rows in COPY's text format: one line each, with escaped line breaks and tabs in values. */
import type pg from "pg";
import { isBlobId } from "#domains/files/index.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { archiveError } from "../archive/reader.ts";
import type { Head } from "../archive/frame.ts";
import { quote, WORKSPACE_JOB } from "../catalogue.ts";
import { copyIn, freeBuffer } from "../copy.ts";
import { partName } from "../export-workspace.ts";

type RowsHead = Extract<Head, { kind: "rows" }>;

/** Inserts rows into a table and frees them. PostgreSQL's count must match the checked rows. */
export async function copyRows(
  client: pg.Client,
  head: RowsHead,
  relation: string,
  lines: Buffer,
): Promise<void> {
  const target = `${relation} (${head.columns.map(quote).join(", ")})`;
  if ((await copyIn(client, target, lines)) !== head.rows) throw rowCountError(head);
  freeBuffer(lines);
}

/** True if both contain the same names, each once. */
export function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const names = new Set(right);
  return (
    left.length === right.length &&
    names.size === right.length &&
    left.every((name) => names.has(name))
  );
}

const NEWLINE = 10;
const TAB = 9;
const BACKSLASH = 92;

function rowCountError(head: RowsHead): Error {
  return archiveError(`has a wrong number of rows in ${partName(head)}`);
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/**
 * Rejects a wrong number of rows, and rows that PostgreSQL would parse differently: an escaped tab or line break is
 * part of a value, an escaped dot ends all rows, and a carriage return can end a row. PostgreSQL never writes these
 * itself, and ends each row.
 */
export function assertRowForm(head: RowsHead, lines: Buffer): void {
  if (countLines(lines) !== head.rows) throw rowCountError(head);
  const isOther = lines.includes("\r") || ["\t", "\n", "."].some((one) => isEscaped(lines, one));
  if (isOther || (lines.length > 0 && lines.at(-1) !== NEWLINE))
    throw archiveError(`has rows of ${head.table} in a different format than PostgreSQL`);
}

/** Rejects rows in another format, or with values that affect other workspaces. */
export function assertRows(head: RowsHead, lines: Buffer, epoch: number): void {
  assertRowForm(head, lines);
  // User tables may have any name.
  if (head.environment === undefined) assertRowValues(head, lines, epoch);
}

/** True if one of the characters follows an odd number of backslashes. */
function isEscaped(lines: Buffer, character: string): boolean {
  const escaped = `\\${character}`;
  for (let at = lines.indexOf(escaped); at !== -1; at = lines.indexOf(escaped, at + 1)) {
    let first = at;
    while (lines[first - 1] === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return true;
  }
  return false;
}

/** Rejects rows with an invalid value in one column, in COPY's text format. */
function assertColumn(
  lines: Buffer,
  index: number,
  { accept, refusal }: { readonly accept: (value: string) => boolean; readonly refusal: string },
): void {
  // Many consecutive rows have the same value.
  let accepted: string | undefined;
  for (let at = 0; at < lines.length;) {
    const newline = lines.indexOf(NEWLINE, at);
    const end = newline === -1 ? lines.length : newline;
    const value = readColumn(lines, { at, end, index });
    if (value !== accepted && end > at) {
      if (!accept(value)) throw archiveError(refusal);
      accepted = value;
    }
    at = end + 1;
  }
}

/** The value of one column of the row between two positions. Empty if it does not exist. */
function readColumn(
  lines: Buffer,
  { at, end, index }: { readonly at: number; readonly end: number; readonly index: number },
): string {
  let start = at;
  for (let column = 0; column < index; column += 1) {
    const tab = lines.indexOf(TAB, start);
    if (tab === -1 || tab >= end) return "";
    start = tab + 1;
  }
  const tab = lines.indexOf(TAB, start);
  return lines.toString("latin1", start, tab === -1 || tab > end ? end : tab);
}

/** Replaces the values of one column. */
export function mapColumn(lines: Buffer, index: number, map: (value: string) => string): Buffer {
  const text = lines.toString("latin1");
  const mapped = text.split("\n").map((line) => {
    if (line === "") return line;
    const values = line.split("\t");
    values[index] = map(values[index] ?? "");
    return values.join("\t");
  });
  return Buffer.from(mapped.join("\n"), "latin1");
}

/** Explains a row rejected by the database. Other errors are returned unchanged. */
export function explainRowError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  const table = "table" in error ? String(error.table) : "";
  // Classes 22 and 23: invalid values and constraint violations.
  if (!/^2[23]\w{3}$/.test(code)) return error;
  return new StartupError(
    `A row${table && ` of ${table}`} can't be imported: ${error.message}. The workspace stays hidden.`,
    { cause: error },
  );
}

/**
 * Values that affect other workspaces: readers of all workspaces use the epoch of events, and a future one would skip
 * everyone's events; jobs of the installation can access its files; the id of a blob is an object name; a client with
 * a document is global.
 */
function assertRowValues(
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
  lines: Buffer,
  epoch: number,
): void {
  if (table === "events")
    assertColumn(lines, columns.indexOf("epoch"), {
      accept: (value) => /^\d{1,4}$/.test(value) && Number(value) <= epoch,
      refusal: "has an event of an epoch that is missing in the manifest",
    });
  if (table === "jobs")
    assertColumn(lines, columns.indexOf("kind"), {
      accept: (value) => WORKSPACE_JOB.test(value),
      refusal: "has a job that does not belong to a workspace",
    });
  if (table === "blobs")
    assertColumn(lines, columns.indexOf("id"), {
      accept: isBlobId,
      refusal: "has a file with an invalid id",
    });
  if (table === "oauth_applications")
    assertColumn(lines, columns.indexOf("document_url"), {
      accept: (value) => value === "\\N",
      refusal: "has a client with a document, which can't belong to a workspace",
    });
}
