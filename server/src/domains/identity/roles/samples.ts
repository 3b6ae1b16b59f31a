import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "permissions.list", arrange: async () => ({ query: { limit: "3" } }) },
];
