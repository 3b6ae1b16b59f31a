import type { Table } from "#domains/tables/index.ts";

/**
 * The tables that a statement is translated against. While a migration is only written down they are
 * unknown, and everything that depends on them is assumed to exist.
 */
export class TableLookup {
  readonly #tables: ReadonlyMap<string, Table> | undefined;

  constructor(tables: readonly Table[] | undefined) {
    this.#tables = tables && new Map(tables.map((table) => [table.slug, table]));
  }

  table(slug: string): Table | undefined {
    return this.#tables?.get(slug);
  }

  /** All of them; undefined when they are unknown. */
  get tables(): readonly Table[] | undefined {
    return this.#tables && [...this.#tables.values()];
  }

  /** True when there is certainly no such table. */
  isMissing(slug: string): boolean {
    return this.#tables !== undefined && !this.#tables.has(slug);
  }
}
