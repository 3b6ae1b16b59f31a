import type { Table } from "#domains/tables/index.ts";

/**
 * The tables as they are where a statement is read. While a migration is only written down nothing is
 * known of them, and whatever depends on them is assumed to be so.
 */
export class TableLookup {
  readonly #tables: ReadonlyMap<string, Table> | undefined;

  constructor(tables: readonly Table[] | undefined) {
    this.#tables = tables && new Map(tables.map((table) => [table.slug, table]));
  }

  table(slug: string): Table | undefined {
    return this.#tables?.get(slug);
  }

  /** All of them; undefined when nothing is known. */
  get tables(): readonly Table[] | undefined {
    return this.#tables && [...this.#tables.values()];
  }

  /** Whether there is certainly none. */
  isMissing(slug: string): boolean {
    return this.#tables !== undefined && !this.#tables.has(slug);
  }
}
