import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

async function outage(owner: Ask) {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "No mail" });
  await owner(`POST /api/v1/itsm/incidents/${body.data.id}/major`, {});
  return { params: { id: body.data.id as string } };
}

export const samples: readonly Sample[] = [
  {
    operation: "outages.list",
    arrange: async (owner) => {
      await outage(owner);
      return { query: { limit: "2" } };
    },
  },
  { operation: "outages.report_affected", arrange: outage },
];
