/** The names that a statement may use, for completion in editors. */
import Type, { type Static } from "typebox";
import type { Principal } from "#kernel/access/caller.ts";
import {
  type Grants,
  resolveGrants,
  SYSTEM_COLUMNS,
  systemTitle,
  type Table,
} from "#domains/tables/index.ts";
import { FUNCTIONS } from "../guard/functions.ts";

const SYSTEM_TYPES: Readonly<Record<string, string>> = {
  created_at: "timestamp",
  updated_at: "timestamp",
};

export const QuerySchema = Type.Object(
  {
    relations: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name in SQL" }),
        title: Type.String(),
        columns: Type.Array(
          Type.Object({
            name: Type.String(),
            title: Type.Optional(Type.String({ description: "Display name" })),
            type: Type.String(),
          }),
        ),
      }),
      { description: "Tables and columns that you can view" },
    ),
    functions: Type.Array(Type.String()),
  },
  { title: "QuerySchema" },
);
export type QuerySchema = Static<typeof QuerySchema>;

interface View {
  readonly name: string;
  readonly summary: string;
  readonly columns: QuerySchema["relations"][number]["columns"];
}

/** Platform views follow the tables; a table with the same name hides a view. */
export function toQuerySchema(
  tables: readonly Table[],
  views: readonly View[],
  principal: Principal | undefined,
): QuerySchema {
  const own = tables.flatMap((table) => toRelation(table, principal));
  const slugs = new Set(tables.map(({ slug }) => slug));
  const others = views
    .filter(({ name }) => !slugs.has(name))
    .map(({ name, summary, columns }) => ({ name, title: summary, columns }));
  return { relations: [...own, ...others], functions };
}

const functions = [...FUNCTIONS].toSorted();

function toRelation(table: Table, principal: Principal | undefined): QuerySchema["relations"] {
  const { slug, name, columns } = table;
  const grants = resolveGrants(table, "read", principal);
  if (grants?.length === 0) return [];
  const own = columns.filter((column) => showsField(grants, column.name));
  const system = SYSTEM_COLUMNS.filter(([field]) => field === "id" || showsField(grants, field));
  return [
    {
      name: slug,
      title: name,
      columns: [
        ...own.map(({ name: column, title, type }) => ({
          name: column,
          title,
          type: type as string,
        })),
        ...system.map(([field, column]) => ({
          name: column,
          title: systemTitle(field),
          type: SYSTEM_TYPES[column] ?? "text",
        })),
      ],
    },
  ];
}

const showsField = (grants: Grants, field: string): boolean =>
  grants?.some(({ fields }) => fields?.has(field) ?? true) ?? true;
