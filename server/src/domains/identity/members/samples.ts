import type { Sample } from "#kernel/testing/samples.ts";
import type { Arranged } from "#kernel/testing/samples.ts";
import type { World } from "#kernel/testing/world.ts";

let count = 0;
const address = () => `invited-${(count += 1)}@example.com`;

async function aMember(world: World): Promise<Arranged> {
  const { userId } = await world.member(["viewer"]);
  return { params: { id: userId }, environmental: false };
}

export const samples: readonly Sample[] = [
  { operation: "users.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "users.get", arrange: (_owner, world) => aMember(world) },
  {
    operation: "users.invite",
    arrange: async () => ({ body: { email: address(), name: "Ada", roleIds: ["agent"] } }),
  },
  {
    operation: "invitations.accept",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/settings/users/invite", { email: address() });
      return { body: { token: body.data.token, name: "Ada", password: "a long password" } };
    },
  },
  { operation: "invitations.page", arrange: async () => ({ query: { token: "mri_any" } }) },
  {
    operation: "invitations.form",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/settings/users/invite", { email: address() });
      return { body: { token: body.data.token, name: "Ada", password: "a long password" } };
    },
  },
  {
    operation: "users.update",
    arrange: async (_owner, world) => ({
      ...(await aMember(world)),
      body: { status: "deactivated", name: "Somebody else" },
    }),
  },
  {
    operation: "users.update",
    name: "who was deactivated",
    arrange: async (owner, world) => {
      const member = await aMember(world);
      await owner(`PATCH /api/v1/settings/users/${member.params?.["id"]}`, {
        status: "deactivated",
      });
      return { ...member, body: { status: "active" } };
    },
  },
  { operation: "users.remove", arrange: (_owner, world) => aMember(world) },
];
