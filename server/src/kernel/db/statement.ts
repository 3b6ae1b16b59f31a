import { sendText, type Tx } from "./connection.ts";

/** Collects the parameters of a statement whose text is being built. */
export class SqlParameters {
  readonly values: unknown[];
  readonly #placeholders: string[];

  /** Begins with those of the text so far. */
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

  /** A condition that always holds, and names those that a text does not: PostgreSQL wants a use for each. */
  mentionRest(text: string): string | undefined {
    const named = new Set(text.match(/\$\d+/g));
    const rest = this.#placeholders.filter((item) => !named.has(item.slice(0, item.indexOf(":"))));
    return rest.length === 0
      ? undefined
      : `coalesce(${rest.map((item) => `${item} is null`).join(" or ")}, true) is not null`;
  }
}

/** Parameters of which equal texts and numbers are one, so that equal expressions have equal texts. */
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

/** Sends a statement whose text was built, and reads its rows, which have the columns that the statement names. */
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
