import Type from "typebox";
import { query } from "#kernel/operation.ts";
import { pageOf, pageQuery } from "#kernel/page.ts";
import { page } from "#kernel/reply.ts";
import { object } from "#kernel/schema.ts";
import { RolesRead } from "./permissions.ts";

const PermissionSchema = Type.Object(
  {
    name: Type.String(),
    summary: Type.String(),
    roles: Type.Array(Type.String(), { description: "The built-in roles that hold it" }),
  },
  { title: "Permission" },
);

export const listPermissions = query({
  id: "permissions.list",
  route: "GET /api/v1/settings/permissions",
  summary: "List every permission, with the built-in roles that hold it",
  permission: RolesRead,
  query: object({
    ...pageQuery,
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
  }),
  reply: page(PermissionSchema),
  async run({ services }, { query: { limit, after } }) {
    const start =
      after === undefined ? "" : String(services.cursors.decode("permissions", after)[0]);
    const rows = services.permissions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .filter(({ name }) => name > start)
      .slice(0, limit + 1);
    return pageOf(
      rows,
      limit,
      (row) => ({ ...row, roles: [...row.roles] }),
      ({ name }) => services.cursors.encode("permissions", [name]),
    );
  },
});
