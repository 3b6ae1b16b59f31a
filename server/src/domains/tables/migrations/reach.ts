/** How far a statement on records reaches: which tables it changes, and which it has to hold. */
import { onDeleteOf, targetOf } from "../columns/reference.ts";
import type { ScriptStatement } from "#domains/queries/guard/script.ts";
import type { Table } from "../table.ts";
import type { Work } from "#domains/migrations/parse-steps.ts";
import { Known } from "#domains/migrations/sql/table-lookup.ts";
import { stepsFrom } from "#domains/migrations/sql/translate.ts";

type Writes = Pick<Extract<ScriptStatement, { does: "records" }>, "targets" | "emptied">;

/**
 * The tables to watch while a statement runs: those that it changes, and of those that refer to them the
 * ones that the migration comes to later. For whoever writes to such a one holds it while they wait to see
 * whether what it refers to is there, and then we would wait for each other.
 */
export function tablesToWatch(
  statement: Writes,
  { tables, named }: { readonly tables: readonly Table[]; readonly named: ReadonlySet<string> },
): readonly Table[] {
  const reached = reachedBy([statement], tables);
  const refers = ({ columns }: Table) =>
    columns.some((column) => reached.has(targetOf(column) ?? ""));
  return tables.filter(
    (table) => reached.has(table.slug) || (named.has(table.slug) && refers(table)),
  );
}

/** The slugs of the tables that a migration changes, or whose records. */
export function namedIn(works: readonly Work[], tables: readonly Table[]): ReadonlySet<string> {
  const unknown = new Known(undefined);
  const script = works.flatMap((work) => ("script" in work ? work.script : []));
  const steps = [
    ...works.flatMap((work) => ("step" in work ? [work.step] : [])),
    ...script.flatMap((one) => (one.does === "structure" ? stepsFrom(one.node, unknown) : [])),
  ];
  const reached = reachedBy(
    script.filter((one) => one.does === "records"),
    tables,
  );
  return new Set([...steps.map(({ table }) => table), ...reached]);
}

/**
 * The slugs of the tables whose records statements may change. What they insert or update changes nothing
 * elsewhere, as ids stay; what they delete takes away, or out of references, what does not forbid that.
 */
function reachedBy(all: readonly Writes[], tables: readonly Table[]): ReadonlySet<string> {
  const reached = new Set(all.flatMap(({ targets }) => targets));
  const emptied = new Set(all.flatMap(({ emptied: slugs }) => slugs));
  // What is added to a set meanwhile has its turn too.
  for (const slug of emptied) {
    for (const { slug: other, columns } of tables) {
      for (const column of columns.filter((one) => targetOf(one) === slug)) {
        const onDelete = onDeleteOf(column);
        if (onDelete !== "restrict") reached.add(other);
        if (onDelete === "cascade") emptied.add(other);
      }
    }
  }
  return reached;
}
