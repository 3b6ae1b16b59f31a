import { somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Sample } from "#kernel/testing/samples.ts";

/** A login with a second factor, by somebody who has one. */
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
  {
    operation: "auth.logout",
    arrange: async (_owner, world) => ({ by: await world.member(["viewer"]) }),
  },
];
