import { findTable } from "#domains/tables/index.ts";
import {
  type DefinedNode,
  isTemplate,
  knowledgeSearch,
  records,
  type ReferenceCheck,
} from "#domains/workflows/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { closestName } from "#kernel/schema/closest-name.ts";

/** The fields of all records. */
const SYSTEM_FIELDS = ["id", "createdAt", "createdBy", "updatedAt", "updatedBy", "revision"];

/** Types of nodes that name a table. */
const TABLE_NODES: ReadonlySet<string> = new Set([records.type, knowledgeSearch.type]);

/**
 * Finds the nodes that name a missing table or column. These are warnings: the table may exist in another
 * environment, or be created before the workflow runs.
 */
export const checkRecordNodes: ReferenceCheck = async ({ tx }, { nodes }) => {
  const warnings: FieldError[] = [];
  for (const node of nodes) {
    const { table: slug } = node.config;
    if (!TABLE_NODES.has(node.type) || typeof slug !== "string" || isTemplate(slug)) continue;
    const table = await findTable(tx, slug);
    const path = `${node.path}/config`;
    if (table)
      warnings.push(
        ...columnWarnings(
          node,
          path,
          table.columns.map(({ name }) => name),
        ),
      );
    else
      warnings.push({
        path: `${path}/table`,
        message: `refers to the table ${slug}, which does not exist in this environment`,
      });
  }
  return { warnings };
};

function columnWarnings(
  { config }: DefinedNode,
  path: string,
  columns: readonly string[],
): FieldError[] {
  const readable = [...columns, ...SYSTEM_FIELDS];
  return [
    ...namesIn(config["data"]).map((name) => ({ at: `/data/${name}`, name, known: columns })),
    ...namesIn(config["filter"])
      .filter((name) => !name.startsWith("$"))
      .map((name) => ({
        at: `/filter/${name}`,
        name: name.split(".")[0] ?? name,
        known: readable,
      })),
    ...sortNames(config["sort"]).map((name) => ({ at: "/sort", name, known: readable })),
  ].flatMap(({ at, name, known }) => {
    if (known.includes(name)) return [];
    const closest = closestName(name, known);
    const hint = closest === undefined ? "" : ` (did you mean ${closest}?)`;
    return [
      { path: path + at, message: `refers to ${name}, which is not a column of this table${hint}` },
    ];
  });
}

function namesIn(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function sortNames(sort: unknown): string[] {
  if (typeof sort !== "string" || isTemplate(sort)) return [];
  return sort.split(",").map((name) => name.trim().replace(/^-/, ""));
}
