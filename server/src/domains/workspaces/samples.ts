import type { Sample } from "#kernel/testing/samples.ts";

const home = { params: { slug: "default" }, environmentScoped: false };
let count = 0;

export const samples: readonly Sample[] = [
  { operation: "workspaces.list", arrange: async () => ({ query: { limit: "1" } }) },
  {
    operation: "workspaces.create",
    arrange: async () => {
      count += 1;
      return { body: { name: "Field services", slug: `field-services-${count}` } };
    },
  },
  { operation: "workspaces.current", arrange: async () => ({}) },
  { operation: "workspaces.get", arrange: async () => home },
  {
    operation: "workspaces.update",
    arrange: async () => ({ ...home, body: { name: "Renamed", timezone: "Europe/Oslo" } }),
  },
  { operation: "workspaces.stats", arrange: async () => home },
];
