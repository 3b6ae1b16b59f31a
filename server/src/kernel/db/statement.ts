import { sendText, type Tx } from "./connection.ts";

/** The parameters of a statement whose text is being put together. */
export class SqlParameters {
  readonly values: unknown[];

  /** With those that stand in a part of the text already. */
  constructor(before: readonly unknown[] = []) {
    this.values = [...before];
  }

  /** Its place in the text; `type` is a constant, such as `text[]`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** A row as the driver returns it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Sends a statement whose text was put together, and reads its rows. */
export async function queryRows(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<SqlRow[]> {
  const { rows } = await sendText(tx, text, values);
  return rows;
}
