import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Sample } from "#kernel/testing/samples.ts";

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
  { operation: "auth.me", arrange: async () => ({}) },
  {
    operation: "auth.logout",
    arrange: async (_owner, world) => ({ by: await world.member(["viewer"]) }),
  },
];
