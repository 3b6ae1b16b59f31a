import type { Table } from "#domains/tables/index.ts";

/**
 * The tables for translating a statement. While a migration is only saved, they are unknown, and all referenced
 * objects are assumed to exist.
 */
export class TableLookup {
  readonly #tables: ReadonlyMap<string, Table> | undefined;

  constructor(tables: readonly Table[] | undefined) {
    this.#tables = tables && new Map(tables.map((table) => [table.slug, table]));
  }

  table(slug: string): Table | undefined {
    return this.#tables?.get(slug);
  }

  /** All tables; undefined if they are unknown. */
  get tables(): readonly Table[] | undefined {
    return this.#tables && [...this.#tables.values()];
  }

  /** Returns true if the table is known to be missing. */
  isMissing(slug: string): boolean {
    return this.#tables !== undefined && !this.#tables.has(slug);
  }
}
