import { tokenMailedTo } from "#kernel/testing/mailbox.ts";
import { browser } from "#domains/apps/testing/apps.ts";
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

/** Creates a member who has invited a person. */
async function aSender(world: World): Promise<Arranged> {
  const admin = await world.member(["admin"]);
  await admin(INVITE, { email: address() });
  return { params: { id: admin.userId }, environmentScoped: false };
}

async function invited(owner: Ask, email = address()) {
  return (await owner(INVITE, { email })).body.data;
}

/** The token of an invitation that was mailed. */
async function mailed(world: World, by: Ask, email = address()): Promise<string> {
  await invited(by, email);
  return tokenMailedTo(world, email);
}

/** Invites a person with an existing account to another workspace. */
async function invitedAgain(world: World, verified: boolean): Promise<string> {
  const { userId } = await world.member(["viewer"]);
  const place = await world.workspace(`samples-${(count += 1)}`);
  await world.sql(
    `update users set password_hash = (select password_hash from users where email = 'admin@example.com'),
                      email_verified_at = case when $2 then now() end
      where id = $1`,
    [userId, verified],
  );
  return mailed(world, await world.member(["owner"], place), `${userId}@example.com`);
}

function accepting(operation: string): Sample[] {
  // The form comes from a page of this server, and redirects to another.
  const sender = (world: World) =>
    operation === "invitations.form" ? { by: browser(world), status: 303 } : {};
  return [
    {
      operation,
      arrange: async (owner, world) => ({
        ...sender(world),
        body: { token: await mailed(world, owner), name: "Ada", password },
        ...(operation === "invitations.form" && { status: 303 }),
      }),
    },
    {
      operation,
      name: "by a link that is no good",
      arrange: async (_owner, world) => ({
        ...sender(world),
        body: { token: "mri_spent", password },
        status: 410,
      }),
    },
    {
      operation,
      name: "with a wrong password",
      arrange: async (_owner, world) => ({
        ...sender(world),
        body: { token: await invitedAgain(world, true), password: "not the password" },
        status: 403,
      }),
    },
    {
      operation,
      name: "with an account that somebody else made",
      arrange: async (_owner, world) => ({
        ...sender(world),
        body: { token: await invitedAgain(world, false), password: "their first password" },
        ...(operation === "invitations.form" && { status: 303 }),
      }),
    },
  ];
}

export const samples: readonly Sample[] = [
  {
    operation: "auth.update_me",
    arrange: async (_owner, world) => ({
      by: await world.member(["viewer"]),
      body: { name: "Ada" },
    }),
  },
  { operation: "users.list_access", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "users.list_sessions", arrange: async (_owner, world) => aMember(world) },
  { operation: "users.revoke_sessions", arrange: async (_owner, world) => aMember(world) },

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
  {
    operation: "invitations.page",
    arrange: async () => ({ query: { token: "mri_any" }, status: 410 }),
  },
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
