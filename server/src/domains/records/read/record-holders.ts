/** Lists roles and members with access to records, by permission and by table access rules. */
import Type from "typebox";
import { countMembersByRoles, resolvePermissions } from "#domains/identity/accounts/index.ts";
import { listRoles, RoleId } from "#domains/identity/roles/index.ts";
import { ACTIONS, findOpenTable, resolveGrants, Slug } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RecordsRead, RecordsWrite } from "../permissions.ts";
import { NOBODY } from "./preview.ts";

const TABLES_MAX = 100;
const ROLES_MAX = 1_000;
const SLUG = "[a-z][a-z0-9_-]{0,62}";

const Holders = Type.Object(
  {
    roles: Type.Array(Type.Object({ id: RoleId, name: Type.String() })),
    members: Type.Integer({
      description: "Number of active members with at least one of these roles",
    }),
  },
  { title: "RecordHolders" },
);
type Holders = Type.Static<typeof Holders>;

const RecordAccess = Type.Object(
  {
    read: Holders,
    write: Holders,
    tables: Type.Array(
      Type.Object({
        slug: Slug,
        name: Type.String(),
        open: Type.Boolean({ description: "True if no access rule restricts the table" }),
        read: Holders,
        write: Holders,
      }),
    ),
  },
  { title: "RecordAccess" },
);

export const getRecordAccess = query({
  id: "records.get_access",
  route: "GET /api/v1/records/access",
  summary: "List the roles that can read and write records",
  description:
    "`read` and `write` are the roles with `records:read` and `records:write`: they can access all records of tables without access rules (`open`). For each of `tables`, returns the roles that can read or write some of its records. Unknown tables are omitted.",
  permission: RecordsRead,
  query: object({
    tables: Type.Optional(
      Type.String({
        pattern: `^${SLUG}(,${SLUG}){0,${TABLES_MAX - 1}}$`,
        description: `Slugs separated by commas; at most ${TABLES_MAX}`,
      }),
    ),
  }),
  response: item(RecordAccess),
  example: { query: { tables: "orders,customers" } },
  async run(ctx, { query: { tables } }) {
    const { read, write, toHolders } = await readHolders(ctx);
    const slugs = [...new Set(tables?.split(","))];
    const opened = await Promise.all(slugs.map((slug) => findOpenTable(ctx, slug)));
    const named = opened.flatMap((table) => {
      if (!table) return [];
      const { schema } = table;
      const allowed = (roles: Holders["roles"], actions: readonly (typeof ACTIONS)[number][]) =>
        toHolders(
          roles.filter(({ id }) =>
            actions.some((action) => {
              const grants = resolveGrants(schema, action, { id: NOBODY, roles: [id] });
              return !grants || grants.length > 0;
            }),
          ),
        );
      return {
        slug: schema.slug,
        name: schema.name,
        open: schema.rules.length === 0,
        read: allowed(read.roles, ["read"]),
        write: allowed(
          write.roles,
          ACTIONS.filter((action) => action !== "read"),
        ),
      };
    });
    return { read, write, tables: named };
  },
});

/** Reads the roles with these permissions, and returns a function that counts the members of some of them. */
async function readHolders({ tx, services }: ReadContext) {
  const all = await listRoles(tx, services, { builtIn: 0, name: "" }, ROLES_MAX);
  const counts = await countMembersByRoles(tx);
  const toHolders = (some: Holders["roles"]): Holders => {
    const ids = new Set(some.map(({ id }) => id));
    const held = counts.filter(({ roles }) => roles.some((role) => ids.has(role)));
    return { roles: some, members: held.reduce((sum, { members }) => sum + members, 0) };
  };
  const holdersOf = (permission: string): Holders => {
    const holding = all.filter(({ id, permissions }) =>
      resolvePermissions([id], permissions, services.permissions).has(permission),
    );
    return toHolders(holding.map(({ id, name }) => ({ id, name })));
  };
  return { read: holdersOf(RecordsRead.name), write: holdersOf(RecordsWrite.name), toHolders };
}
