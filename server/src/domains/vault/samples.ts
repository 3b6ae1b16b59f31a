import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function freshName(): string {
  count += 1;
  return `SAMPLE_${String(count).padStart(4, "0")}`;
}

/** Secrets and their values are managed from any environment. */
async function stored(owner: Ask) {
  const name = freshName();
  await owner("POST /api/v1/secrets", { name, value: "first value", description: "A sample" });
  return { params: { name }, environmentScoped: false };
}

async function storedThere(owner: Ask) {
  const { params, ...rest } = await stored(owner);
  const there = { ...params, environment: "staging" };
  await owner(`PUT /api/v1/secrets/${params.name}/environments/staging`, { value: "its own" });
  return { params: there, ...rest };
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
  {
    operation: "secrets.update",
    arrange: async (owner) => ({ ...(await stored(owner)), body: { ownValuesOnly: true } }),
  },
  {
    operation: "secrets.set_environment",
    arrange: async (owner) => ({ ...(await storedThere(owner)), body: { value: "third value" } }),
  },
  { operation: "secrets.remove_environment", arrange: storedThere },
  { operation: "secrets.delete", arrange: stored },
];
