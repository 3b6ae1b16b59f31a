/** Selects the source for a vector column in SQL: the texts to embed, or a stored vector. */
import pg from "pg";
import { MODEL } from "#kernel/embedding/vector.ts";
import { sourcesOf } from "./vector-column.ts";
import type { ColumnTypeName } from "../table.ts";
import type { TableSchema } from "../schema/table-schema.ts";

/** Types of columns whose values are texts that a model can read. */
export const EMBEDDED_TYPES: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  "text",
  "enum",
  "email",
  "url",
]);

export interface VectorSource {
  readonly kind: "texts" | "numbers";
  /** The source columns: a caller who may not see one of them cannot search by this column. */
  readonly columns: readonly string[];
  /** The text, empty if there is nothing to embed; or the numbers as JSON. */
  readonly sql: string;
  /** Differs when the source does, or the model. */
  readonly digest: string;
}

/** The names of the columns for search by meaning. */
export function vectorColumns({ columns, computed }: TableSchema): readonly string[] {
  return [
    ...columns.filter(({ type }) => type === "vector"),
    ...[...computed.values()].filter(({ type }) => type === "embedding"),
  ].map(({ name }) => name);
}

/** Compiles the source of a column; undefined if it has none, or its source columns were deleted. */
export function compileVectorSource(
  { byName, computed }: TableSchema,
  name: string,
  row: string,
): VectorSource | undefined {
  const own = byName.get(name);
  if (own) {
    if (own.type !== "vector") return undefined;
    const sql = `${row}.${own.quoted}`;
    return { kind: "numbers", columns: [name], sql, digest: `md5(${sql}::text)` };
  }
  const column = computed.get(name);
  if (column?.type !== "embedding") return undefined;
  const sources = sourcesOf(column).flatMap((source) => byName.get(source) ?? []);
  if (sources.length === 0) return undefined;
  const texts = sources.map(({ quoted }) => `nullif(btrim(${row}.${quoted}), '')`);
  const sql = `concat_ws(E'\\n', ${texts.join(", ")})`;
  return {
    kind: "texts",
    columns: sources.map((source) => source.name),
    sql,
    digest: `md5('${MODEL} ' || ${sql})`,
  };
}

/** The rows of `record_vectors` that match the current state of a row. */
export function vectorsOfRowSql(
  { id }: Pick<TableSchema, "id">,
  name: string,
  { row, source }: { readonly row: string; readonly source: VectorSource },
): string {
  // The digest is a separate boolean condition because the planner expects it to be often true. It estimates
  // almost no rows for a plain equality, and would then join and sort everything for every page.
  return (
    `record_vectors "~v" where "~v".table_id = ${pg.escapeLiteral(id)} and "~v".column_name = ${pg.escapeLiteral(name)} ` +
    `and "~v".record_id = ${row}.id and coalesce("~v".digest = ${source.digest}, false)`
  );
}
