import { sendText, type Tx } from "./connection.ts";

/** Collects parameters while the text of a statement is built. */
export class SqlParameters {
  readonly values: unknown[];
  readonly #placeholders: string[];

  /** Continues with the parameters of the text so far. */
  constructor(before: readonly unknown[] | SqlParameters = []) {
    const isText = before instanceof SqlParameters;
    this.values = isText ? [...before.values] : [...before];
    this.#placeholders = isText ? [...before.#placeholders] : [];
  }

  /** Adds a value and returns its placeholder; `type` is a constant, such as `text[]`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    const placeholder = `$${this.values.length}::${type}`;
    this.#placeholders.push(placeholder);
    return placeholder;
  }

  /** A condition that is always true and references unused parameters, because PostgreSQL requires a use of each. */
  mentionRest(text: string): string | undefined {
    const named = new Set(text.match(/\$\d+/g));
    const rest = this.#placeholders.filter((item) => !named.has(item.slice(0, item.indexOf(":"))));
    return rest.length === 0
      ? undefined
      : `coalesce(${rest.map((item) => `${item} is null`).join(" or ")}, true) is not null`;
  }
}

/** Parameters that merge equal texts and numbers, so that equal expressions have equal texts. */
export class DistinctParameters extends SqlParameters {
  readonly #known = new Map<string, string>();

  override add(value: unknown, type: string): string {
    if (typeof value !== "string" && typeof value !== "number") return super.add(value, type);
    const key = `${type} ${typeof value} ${value}`;
    const known = this.#known.get(key) ?? super.add(value, type);
    this.#known.set(key, known);
    return known;
  }
}

/** A row as the driver returns it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Sends a built statement and returns its rows, whose columns match the statement. */
export async function queryRows<Row extends object = SqlRow>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await sendText(tx, text, values);
  return rows as Row[];
}

/** Sends a statement that always returns a row, such as an insert. */
export async function queryRow<Row extends object>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<Row> {
  const [row] = await queryRows<Row>(tx, text, values);
  if (!row) throw new Error("A statement returned no row.");
  return row;
}
