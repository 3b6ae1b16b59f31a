import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { routedTitle } from "../testing/assignment-rule.ts";

async function incident(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "A sample" });
  return body.data.id;
}

async function raised(owner: Ask, more: object = {}) {
  const { body } = await owner("POST /api/v1/itsm/problems", { title: "A sample", ...more });
  return { params: { id: body.data.id as string } };
}

async function resolved(owner: Ask) {
  const problem = await raised(owner);
  const path = `POST /api/v1/itsm/problems/${problem.params.id}/resolve`;
  await owner(path, { resolution: "It was mended." });
  return problem;
}

async function linked(owner: Ask) {
  const incidentId = await incident(owner);
  const { params } = await raised(owner, { incidentIds: [incidentId] });
  return { params: { ...params, incidentId } };
}

export const samples: readonly Sample[] = [
  {
    operation: "problems.list",
    arrange: async (owner) => {
      await raised(owner);
      return { query: { limit: "2", state: "open", mine: "false", count: "exact" } };
    },
  },
  { operation: "problems.list_known_errors", arrange: async () => ({ query: { q: "mail" } }) },
  {
    operation: "problems.create",
    name: "by a rule",
    arrange: async (owner, world) => ({
      body: { title: await routedTitle(owner, world, { entity: "problem" }) },
    }),
  },
  {
    operation: "problems.create",
    arrange: async (owner) => ({
      body: {
        title: "A sample",
        description: "It comes back every night",
        priority: 2,
        ciIds: [],
        assigneeId: null,
        teamId: null,
        rootCause: null,
        workaround: "Restart it.",
        incidentIds: [await incident(owner)],
      },
    }),
  },
  { operation: "problems.get", arrange: (owner) => linked(owner) },
  {
    operation: "problems.update",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { title: "Another one", rootCause: "A full table", priority: 1 },
    }),
  },
  { operation: "problems.take", arrange: (owner) => raised(owner) },
  { operation: "problems.investigate", arrange: (owner) => raised(owner) },
  {
    operation: "problems.declare_known_error",
    arrange: async (owner) => ({
      ...(await raised(owner, { workaround: "Restart it." })),
      body: { rootCause: "A full table", workaround: "Restart it twice." },
    }),
  },
  {
    operation: "problems.resolve",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { resolution: "The table was made larger." },
    }),
  },
  { operation: "problems.close", arrange: resolved },
  { operation: "problems.reopen", arrange: resolved },
  { operation: "problems.list_incidents", arrange: (owner) => linked(owner) },
  {
    operation: "problems.link_incidents",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { incidentIds: [await incident(owner)] },
    }),
  },
  { operation: "problems.unlink_incident", arrange: linked },
];
