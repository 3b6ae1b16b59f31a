import type { Sample } from "#kernel/testing/samples.ts";
import { signLog } from "./chain/checkpoint-job.ts";

export const samples: readonly Sample[] = [
  { operation: "audit.query", arrange: async () => ({ query: { limit: "5", type: "*" } }) },
  {
    operation: "audit.list_former_members",
    arrange: async () => ({ query: { limit: "5" }, environmentScoped: false }),
  },
  {
    operation: "audit.get",
    arrange: async (owner) => {
      await owner("PATCH /api/v1/workspaces/default", { description: "An event to look at" });
      const { body } = await owner("GET /api/v1/audit?limit=1");
      return { params: { eventId: body.data[0].id } };
    },
  },
  {
    operation: "audit.get_proof",
    arrange: async (owner, world) => {
      await owner("PATCH /api/v1/workspaces/default", { description: "An event to prove" });
      const { body } = await owner("GET /api/v1/audit?limit=1&type=workspace.updated");
      await world.settled();
      await signLog(world.kernel, world.home);
      return { query: { eventId: body.data[0].id } };
    },
  },
  { operation: "audit.list_checkpoints", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "audit.verify", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "event_types.list", arrange: async () => ({ query: { limit: "2" } }) },
];
