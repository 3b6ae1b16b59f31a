import { sha256 } from "#kernel/access/crypto.ts";
import { tokenMailedTo } from "#kernel/testing/mailbox.ts";
import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

/** Returns the link as mailed. */
async function aLink(world: World): Promise<string> {
  const { userId } = await world.member(["viewer"]);
  const token = `mrp_sample_${(count += 1)}`;
  await world.sql("insert into password_resets values ($1, $2, now(), now() + interval '1 hour')", [
    userId,
    sha256(token),
  ]);
  return token;
}

const password = "a new password";

/** Creates a person who has logged in with a password. */
async function somebody(owner: Ask, world: World): Promise<Ask> {
  const email = `changer-${(count += 1)}@example.com`;
  await owner("POST /api/v1/settings/users/invite", { email });
  const token = await tokenMailedTo(world, email);
  await world.stranger("POST /api/v1/auth/invitations/accept", { token, password });
  const session = await world.stranger("POST /api/v1/auth/token", { email, password });
  const own: string = session.body.data.token;
  return Object.assign(world.asToken(own, "default"), { token: own });
}

export const samples: readonly Sample[] = [
  {
    operation: "passwords.forgot",
    arrange: async () => ({ body: { email: "admin@example.com" } }),
  },
  {
    operation: "passwords.reset",
    arrange: async (_owner, world) => ({ body: { token: await aLink(world), password } }),
  },
  {
    operation: "passwords.reset",
    name: "with a link that is no good",
    arrange: async () => ({ body: { token: "mrp_spent", password }, status: 410 }),
  },
  { operation: "passwords.reset_page", arrange: async () => ({ query: { token: "mrp_any" } }) },
  {
    operation: "passwords.reset_form",
    arrange: async (_owner, world) => ({ body: { token: await aLink(world), password } }),
  },
  {
    operation: "passwords.reset_form",
    name: "with a link that is no good",
    arrange: async () => ({ body: { token: "mrp_spent", password }, status: 410 }),
  },
  {
    operation: "passwords.change",
    arrange: async (owner, world) => ({
      by: await somebody(owner, world),
      body: { currentPassword: password, newPassword: "another password" },
    }),
  },
  {
    operation: "passwords.change",
    name: "with a wrong password",
    arrange: async (owner, world) => ({
      by: await somebody(owner, world),
      body: { currentPassword: "not it", newPassword: "another password" },
      status: 403,
    }),
  },
];
