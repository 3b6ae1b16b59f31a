import { sendText, type Tx } from "./connection.ts";

/** Collects the parameters of a statement whose text is being built. */
export class SqlParameters {
  readonly values: unknown[];

  /** Begins with those of the text so far. */
  constructor(before: readonly unknown[] = []) {
    this.values = [...before];
  }

  /** Adds a value and returns its placeholder; `type` is a constant, such as `text[]`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** A row as the driver returns it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Sends a statement whose text was built, and reads its rows. */
export async function queryRows(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<SqlRow[]> {
  const { rows } = await sendText(tx, text, values);
  return rows;
}
