import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function freshName(): string {
  count += 1;
  return `SAMPLE_${String(count).padStart(4, "0")}`;
}

/** A secret is the same in all environments. */
async function stored(owner: Ask) {
  const name = freshName();
  await owner("POST /api/v1/secrets", { name, value: "first value", description: "A sample" });
  return { params: { name }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "secrets.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "secrets.create",
    arrange: async () => ({
      body: { name: freshName(), value: "first value", description: "A sample" },
    }),
  },
  { operation: "secrets.get", arrange: stored },
  { operation: "secrets.get_usage", arrange: stored },
  {
    operation: "secrets.rotate",
    arrange: async (owner) => ({
      ...(await stored(owner)),
      body: { value: "second value", description: "A rotated sample" },
    }),
  },
  { operation: "secrets.delete", arrange: stored },
];
