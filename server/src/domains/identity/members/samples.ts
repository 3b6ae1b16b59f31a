import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

const INVITE = "POST /api/v1/settings/users/invite";
const password = "a long password";
let count = 0;
const address = () => `invited-${(count += 1)}@example.com`;

async function aMember(world: World): Promise<Arranged> {
  const { userId } = await world.member(["viewer"]);
  return { params: { id: userId }, environmentScoped: false };
}

/** A member who has invited somebody. */
async function aSender(world: World): Promise<Arranged> {
  const admin = await world.member(["admin"]);
  await admin(INVITE, { email: address() });
  return { params: { id: admin.userId }, environmentScoped: false };
}

async function invited(owner: Ask, email = address()) {
  return (await owner(INVITE, { email })).body.data;
}

/** An invitation to somebody who has an account already, in a workspace apart. */
async function invitedAgain(world: World): Promise<string> {
  const { userId } = await world.member(["viewer"]);
  const place = await world.workspace(`samples-${(count += 1)}`);
  await world.sql(
    `update users set password_hash = (select password_hash from users where email = 'admin@example.com')
      where id = $1`,
    [userId],
  );
  const { token } = await invited(await world.member(["owner"], place), `${userId}@example.com`);
  return token;
}

function accepting(operation: string): Sample[] {
  return [
    {
      operation,
      arrange: async (owner) => {
        const { token } = await invited(owner);
        return { body: { token, name: "Ada", password } };
      },
    },
    {
      operation,
      name: "by a link that is no good",
      arrange: async () => ({ body: { token: "mri_spent", password }, status: 410 }),
    },
    {
      operation,
      name: "with a wrong password",
      arrange: async (_owner, world) => ({
        body: { token: await invitedAgain(world), password: "not the password" },
        status: 403,
      }),
    },
  ];
}

export const samples: readonly Sample[] = [
  { operation: "users.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "users.get", arrange: (_owner, world) => aMember(world) },
  {
    operation: "users.invite",
    arrange: async () => ({ body: { email: address(), name: "Ada", roleIds: ["agent"] } }),
  },
  { operation: "invitations.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "invitations.revoke",
    arrange: async (owner) => ({
      params: { id: (await invited(owner)).id },
      environmentScoped: false,
    }),
  },
  ...accepting("invitations.accept"),
  { operation: "invitations.page", arrange: async () => ({ query: { token: "mri_any" } }) },
  ...accepting("invitations.form"),
  {
    operation: "users.update",
    arrange: async (_owner, world) => ({
      ...(await aSender(world)),
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
  { operation: "users.remove", arrange: (_owner, world) => aSender(world) },
];
