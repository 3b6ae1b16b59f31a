import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  {
    operation: "transformer.evaluate",
    arrange: async () => ({
      body: { expression: "a + $b", input: { a: 1 }, bindings: { b: 2 } },
    }),
  },
];
