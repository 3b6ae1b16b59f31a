/**
 * Writes lines of a file as records. Reports the lines that cannot be written; the other lines are still written.
 */
import type { OpenTable } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import type { RecordCreated, RecordUpdated } from "../events.ts";
import { titleErrors } from "../error-titles.ts";
import type { RecordInput, TableRecord } from "../record.ts";
import { insertRecords } from "../write/insert-records.ts";
import { type RecordChange, upsertRecords } from "../write/upsert-records.ts";

export interface RecordLine {
  readonly line: number;
  readonly input: RecordInput;
}

/** A line that cannot be written, and the reason. Paths start with the field. */
export interface InvalidLine {
  readonly line: number;
  readonly errors: readonly FieldError[];
}

export interface WrittenLines {
  readonly created: TableRecord[];
  readonly updated: RecordChange[];
  unchanged: number;
  readonly invalid: InvalidLine[];
}

type LineContext = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

/** Writes each line if possible. With `key`, updates the record that has this value in the key field. */
export async function writeLines(
  ctx: LineContext,
  table: OpenTable,
  lines: readonly RecordLine[],
  key: string | undefined,
): Promise<WrittenLines> {
  const written: WrittenLines = { created: [], updated: [], unchanged: 0, invalid: [] };
  const batches = [await takeValid(ctx, table, { lines, key }, written.invalid)];
  for (let batch = batches.pop(); batch; batch = batches.pop()) {
    if (batch.length === 0) continue;
    const failure = await writeBatch(ctx, table, { lines: batch, key }, written);
    if (failure) batches.push(...withoutNamed(failure, batch, written.invalid).toReversed());
    else ctx.flush();
  }
  return written;
}

interface LineBatch {
  readonly lines: readonly RecordLine[];
  readonly key: string | undefined;
}

/** Returns the valid lines; reports the others. */
async function takeValid(
  ctx: LineContext,
  table: OpenTable,
  { lines, key }: LineBatch,
  invalid: InvalidLine[],
): Promise<readonly RecordLine[]> {
  const valid: RecordLine[] = [];
  const turn = new TurnTimer();
  for (const each of lines) {
    if (turn.isOver()) await turn.next();
    // An update does not need all required fields.
    const parsed = table.parseFields(key === undefined ? "create" : "update", each.input, ctx.now);
    if ("errors" in parsed) {
      invalid.push({ line: each.line, errors: titleErrors(table.schema, parsed.errors) });
    } else valid.push(each);
  }
  if (invalid.length > 0) await table.assertCurrent();
  return valid;
}

/** Undefined if all lines were written; on a failure, none was written. */
async function writeBatch(
  ctx: LineContext,
  table: OpenTable,
  { lines, key }: LineBatch,
  written: WrittenLines,
): Promise<Failure | undefined> {
  const inputs = lines.map(({ input }) => input);
  const pathOf = (index: number): string => String(lines[index]?.line);
  try {
    if (key === undefined) {
      const stored = await ctx.savepoint(() => insertRecords(ctx, table, inputs, pathOf));
      written.created.push(...stored.map(({ record }) => record));
      return undefined;
    }
    const result = await ctx.savepoint(() =>
      upsertRecords(ctx, table, { key, records: inputs }, pathOf),
    );
    const present = new Set(result.existing);
    written.updated.push(...result.changes);
    written.created.push(...result.records.filter(({ id }) => !present.has(id)));
    written.unchanged += result.unchanged;
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error;
  }
}

/** Skips the lines named by the failure. Otherwise retries both halves separately. */
function withoutNamed(
  failure: Failure,
  lines: readonly RecordLine[],
  invalid: InvalidLine[],
): readonly (readonly RecordLine[])[] {
  const errors = failure.particulars.errors ?? [];
  const byLine = Map.groupBy(errors, ({ path }) => path.split("/")[0]);
  const others = lines.filter(({ line }) => !byLine.has(String(line)));
  if (others.length < lines.length) {
    for (const { line } of lines) {
      const own = byLine.get(String(line));
      if (own)
        invalid.push({
          line,
          errors: own.map((error) => ({
            ...error,
            path: error.path.slice(String(line).length),
          })),
        });
    }
    return [others];
  }
  const [first] = lines;
  if (first && lines.length === 1) {
    invalid.push({ line: first.line, errors: [{ path: "", message: failure.message }] });
    return [];
  }
  const middle = Math.ceil(lines.length / 2);
  return [lines.slice(0, middle), lines.slice(middle)];
}
