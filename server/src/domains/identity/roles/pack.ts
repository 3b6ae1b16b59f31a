import Type from "typebox";
import { listIds, packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import { RolesWrite } from "./role.ts";
import { roleFields } from "./role.ts";
import { createRole, deleteRole, updateRole } from "./service.ts";
import * as store from "./store.ts";

/** Roles in packs: they cannot grant permissions that the installing member does not have. */
export const roleContent = packContent({
  kind: "roles",
  permission: RolesWrite,
  environmentScoped: false,
  schema: object(
    {
      name: roleFields.name,
      description: Type.Optional(roleFields.description),
      permissions: roleFields.permissions,
    },
    { title: "PackRole" },
  ),
  keyOf: ({ name }) => name,
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const role = await store.find(tx, id);
    if (!role) return undefined;
    const { name, description, permissions } = role;
    return { name, description, permissions };
  },
  create: async (ctx, role) => (await createRole(ctx, role)).id,
  async replace(ctx, id, { name, description = "", permissions }) {
    await updateRole(ctx, id, { name, description, permissions });
    return id;
  },
  remove: deleteRole,
  source: {
    list: ({ tx }, limit) => listIds(tx, "roles", limit),
    async toContent({ tx }, id) {
      const role = await store.find(tx, id);
      if (!role) return undefined;
      const { name, description, permissions } = role;
      return { name, description, permissions };
    },
  },
});
