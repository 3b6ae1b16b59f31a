/** Rows in COPY's text form: a line each, in which line breaks and tabs of values are escaped. */
import type pg from "pg";
import { isBlobId } from "#domains/files/index.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { archiveError } from "../archive/reader.ts";
import type { Head } from "../archive/frame.ts";
import { quote, WORKSPACE_JOB } from "../catalogue.ts";
import { copyIn, freeBuffer } from "../copy.ts";
import { partName } from "../export-workspace.ts";

type RowsHead = Extract<Head, { kind: "rows" }>;

/**
 * Puts rows into a table, and frees them. PostgreSQL counts for itself: it must have seen the same rows as those that
 * were checked.
 */
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

/** True when both have the same names, each once. */
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
  return archiveError(`has another number of rows in ${partName(head)}`);
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/**
 * Refuses another number of rows, and rows that PostgreSQL would read otherwise than we do: a tab or a line break
 * behind a backslash is a part of a value to it, a dot there the end of all rows, and a carriage return may end one. It
 * writes none of these itself, and ends each row.
 */
export function assertRowForm(head: RowsHead, lines: Buffer): void {
  if (countLines(lines) !== head.rows) throw rowCountError(head);
  const isOther = lines.includes("\r") || ["\t", "\n", "."].some((one) => isEscaped(lines, one));
  if (isOther || (lines.length > 0 && lines.at(-1) !== NEWLINE))
    throw archiveError(`has rows of ${head.table} in another form than PostgreSQL writes them`);
}

/** Refuses rows in another form, or with values that reach beyond the workspace. */
export function assertRows(head: RowsHead, lines: Buffer, epoch: number): void {
  assertRowForm(head, lines);
  // People may call a table of theirs as they like.
  if (head.environment === undefined) assertRowValues(head, lines, epoch);
}

/** True where an odd number of backslashes is before one of the characters. */
function isEscaped(lines: Buffer, character: string): boolean {
  const escaped = `\\${character}`;
  for (let at = lines.indexOf(escaped); at !== -1; at = lines.indexOf(escaped, at + 1)) {
    let first = at;
    while (lines[first - 1] === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return true;
  }
  return false;
}

/** Refuses rows with a value that is not accepted in one column, in COPY's text form. */
function assertColumn(
  lines: Buffer,
  index: number,
  { accept, refusal }: { readonly accept: (value: string) => boolean; readonly refusal: string },
): void {
  // Many rows one after another have the same value.
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

/** The value of one column of the row between two places; empty where there is none. */
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

/** A row that the database refuses, in words; any other error as it is. */
export function explainRowError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  const table = "table" in error ? String(error.table) : "";
  // Class 22 and 23: values that are none, and constraints.
  if (!/^2[23]\w{3}$/.test(code)) return error;
  return new StartupError(
    `A row${table && ` of ${table}`} can't be taken: ${error.message}. The workspace stays invisible.`,
    { cause: error },
  );
}

/**
 * Values that reach beyond the workspace: readers of all workspaces go by the epoch of an event, and one that is to
 * come would take them past everybody else's; jobs of the installation reach its files; the id of a blob is the name of
 * an object; a client with a document is everybody's.
 */
function assertRowValues(
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
  lines: Buffer,
  epoch: number,
): void {
  if (table === "events")
    assertColumn(lines, columns.indexOf("epoch"), {
      accept: (value) => /^\d{1,4}$/.test(value) && Number(value) <= epoch,
      refusal: "has an event of an epoch that its manifest does not know",
    });
  if (table === "jobs")
    assertColumn(lines, columns.indexOf("kind"), {
      accept: (value) => WORKSPACE_JOB.test(value),
      refusal: "has a job that is not a workspace's",
    });
  if (table === "blobs")
    assertColumn(lines, columns.indexOf("id"), {
      accept: isBlobId,
      refusal: "has a file under a name that is no id",
    });
  if (table === "oauth_applications")
    assertColumn(lines, columns.indexOf("document_url"), {
      accept: (value) => value === "\\N",
      refusal: "has a client with a document, which is no workspace's",
    });
}
