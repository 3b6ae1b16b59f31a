import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

async function made(owner: Ask) {
  count += 1;
  const key = `sample.${count}`;
  await owner(`PUT /api/v1/me/preferences/${key}`, { value: count });
  return { params: { key }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "preferences.list", arrange: async () => ({}) },
  { operation: "preferences.get", arrange: made },
  {
    operation: "preferences.set",
    // Users choose keys freely, and each user has separate ones.
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: { value: "other" },
      openParams: true,
      partitioned: false,
    }),
  },
  { operation: "preferences.delete", arrange: made },
];
