import type { Tampering } from "#domains/identity/mfa/testing/authenticator.ts";
import { passkeyAnswer, somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Sample } from "#kernel/testing/samples.ts";

const PRESENT_ALONE: Tampering = { flags: 0x01 };

/** A login of a person with a second factor. */
function guarded(
  name: string,
  codeOf: (has: Awaited<ReturnType<typeof withApp>>) => string | undefined,
  status: { readonly status?: number } = {},
): Sample {
  return {
    operation: "auth.login",
    name,
    async arrange(_owner, world) {
      const person = await somebody(world);
      const code = codeOf(await withApp(world, person));
      const proof = code === undefined ? {} : { code };
      return { body: { email: person.email, password: TEST_PASSWORD, ...proof }, ...status };
    },
  };
}

export const samples: readonly Sample[] = [
  {
    operation: "auth.login",
    arrange: async () => ({ body: { email: "admin@example.com", password: TEST_PASSWORD } }),
  },
  {
    operation: "auth.login",
    name: "with a wrong password",
    arrange: async () => ({
      body: { email: "admin@example.com", password: "not the password" },
      status: 401,
    }),
  },
  guarded("without the second factor", () => undefined, { status: 401 }),
  guarded("with a wrong second factor", () => "wrong-code", { status: 401 }),
  guarded("with a recovery code", ({ recoveryCodes }) => recoveryCodes[0]),
  { operation: "auth.me", arrange: async () => ({}) },
  { operation: "auth.begin_passkey_login", arrange: async () => ({}) },
  {
    operation: "auth.login_by_passkey",
    arrange: async (_owner, world) => ({ body: { assertion: await passkeyAnswer(world) } }),
  },
  {
    operation: "auth.login_by_passkey",
    name: "without the holder's verification",
    arrange: async (_owner, world) => ({
      body: { assertion: await passkeyAnswer(world, PRESENT_ALONE) },
      status: 401,
    }),
  },
  { operation: "auth.list_sessions", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "auth.revoke_session",
    async arrange(_owner, world) {
      const { ask: by, login: logIn } = await somebody(world);
      await logIn();
      const { body } = await by("GET /api/v1/auth/sessions");
      const other = body.data.find(({ current }: { current: boolean }) => !current);
      return { by, params: { id: other.id }, environmentScoped: false };
    },
  },
  {
    operation: "auth.revoke_other_sessions",
    arrange: async (_owner, world) => ({ by: await world.member(["viewer"]) }),
  },
  {
    operation: "auth.logout",
    arrange: async (_owner, world) => ({ by: await world.member(["viewer"]) }),
  },
];
