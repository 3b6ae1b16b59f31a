import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "desk_report.get", arrange: async () => ({ query: { kind: "incident" } }) },
  {
    operation: "desk_report.list_tickets",
    arrange: async () => ({ query: { figure: "created", limit: "2" } }),
  },
];
