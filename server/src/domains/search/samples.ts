import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "search.find", arrange: async () => ({ query: { q: "sample", limit: "5" } }) },
];
