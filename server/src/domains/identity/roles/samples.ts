import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;
const draft = () => ({ name: `Role ${(count += 1)}`, permissions: ["audit:read", "workspaces:*"] });

async function aRole(owner: Ask): Promise<{ params: { id: string }; environmentScoped: false }> {
  const { body } = await owner("POST /api/v1/settings/roles", draft());
  return { params: { id: body.data.id }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "permissions.list", arrange: async () => ({ query: { limit: "3" } }) },
  { operation: "roles.list", arrange: async () => ({ query: { limit: "3" } }) },
  { operation: "roles.create", arrange: async () => ({ body: draft() }) },
  { operation: "roles.get", arrange: (owner) => aRole(owner) },
  {
    operation: "roles.update",
    arrange: async (owner) => ({ ...(await aRole(owner)), body: { permissions: ["audit:read"] } }),
  },
  { operation: "roles.delete", arrange: (owner) => aRole(owner) },
  {
    operation: "roles.assign",
    arrange: async (_owner, world) => ({
      params: { userId: (await world.member(["viewer"])).userId },
      body: { roleId: "agent" },
      environmentScoped: false,
    }),
  },
  {
    operation: "roles.unassign",
    arrange: async (_owner, world) => ({
      params: { userId: (await world.member(["viewer", "agent"])).userId, roleId: "agent" },
      environmentScoped: false,
    }),
  },
];
