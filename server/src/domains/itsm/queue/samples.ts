import type { Sample } from "#kernel/testing/samples.ts";
import { resourceSamples } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { views } from "./view.ts";

let count = 0;

async function incident(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "A sample" });
  return body.data.id;
}

const viewInput = async () => {
  count += 1;
  return { name: `View ${count}`, filter: { priority: { lte: 2 } } };
};
async function view(owner: Ask) {
  const { body } = await owner("POST /api/v1/itsm/views", await viewInput());
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "tickets.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "tickets.export",
    arrange: async (owner) => {
      await incident(owner);
      return { query: { view: "open" } };
    },
  },
  {
    operation: "tickets.get",
    arrange: async (owner) => ({ params: { id: await incident(owner) } }),
  },
  {
    operation: "tickets.list_tags",
    arrange: async () => ({ query: { limit: "2" }, partitioned: false }),
  },
  {
    operation: "tickets.take_next",
    arrange: async (owner) => {
      await incident(owner);
      return { body: { view: "open", kinds: "incident" } };
    },
  },
  { operation: "views.count", arrange: async () => ({ partitioned: false }) },
  ...resourceSamples(views, viewInput),
  { operation: "views.get", arrange: view },
  {
    operation: "views.update",
    arrange: async (owner) => ({ ...(await view(owner)), body: { name: "Another one" } }),
  },
  { operation: "views.delete", arrange: view },
];
