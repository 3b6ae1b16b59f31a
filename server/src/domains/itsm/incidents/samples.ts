import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { routedTitle } from "../testing/assignment-rule.ts";

const PATH = "/api/v1/itsm/incidents";
let count = 0;

async function raised(owner: Ask, more: object = {}) {
  const { body } = await owner(`POST ${PATH}`, { title: "A sample", ...more });
  return { params: { id: body.data.id as string } };
}

async function resolved(owner: Ask, more: object = {}) {
  const sample = await raised(owner, more);
  await owner(`POST ${PATH}/${sample.params.id}/resolve`, { resolution: "Turned it off and on" });
  return sample;
}

async function major(owner: Ask) {
  const sample = await raised(owner);
  await owner(`POST ${PATH}/${sample.params.id}/major`);
  return sample;
}

async function family(owner: Ask) {
  const { params } = await major(owner);
  const child = await raised(owner);
  await owner(`POST ${PATH}/${params.id}/children`, { incidentId: child.params.id });
  return { params: { ...params, childId: child.params.id } };
}

async function team(owner: Ask): Promise<string> {
  count += 1;
  const { body } = await owner("POST /api/v1/itsm/teams", { name: `Incidents ${count}` });
  return body.data.id as string;
}

async function userId(world: World): Promise<string> {
  return (await world.member(["agent"])).userId;
}

function patched(name: string, arrange: (owner: Ask, world: World) => Promise<Arranged>): Sample {
  return { operation: "incidents.update", name, arrange };
}

/** Incidents assigned by a rule. */
const routed: readonly Sample[] = [
  {
    operation: "incidents.create",
    name: "by a rule",
    arrange: async (owner, world) => ({
      body: { title: await routedTitle(owner, world, { entity: "incident" }) },
    }),
  },
  {
    operation: "incidents.split",
    name: "whose other half a rule gives to somebody",
    arrange: async (owner, world) => {
      const sample = await raised(owner);
      const { body } = await owner(`POST ${PATH}/${sample.params.id}/comments`, { body: "This" });
      const title = await routedTitle(owner, world, { entity: "incident" });
      return { ...sample, body: { title, commentIds: [body.data.id] } };
    },
  },
  patched("given to a team whose rule knows somebody", async (owner, world) => {
    const title = await routedTitle(owner, world, { entity: "incident", on: ["team_changed"] });
    return { ...(await raised(owner, { title })), body: { teamId: await team(owner) } };
  }),
  {
    operation: "incidents.assign",
    name: "to a team whose rule knows somebody",
    arrange: async (owner, world) => {
      const title = await routedTitle(owner, world, { entity: "incident", on: ["team_changed"] });
      return { ...(await raised(owner, { title })), body: { teamId: await team(owner) } };
    },
  },
  {
    operation: "incidents.reopen",
    name: "with a rule for it",
    arrange: async (owner, world) => {
      const title = await routedTitle(owner, world, { entity: "incident", on: ["reopened"] });
      return {
        ...(await resolved(owner, { title })),
        body: { reason: "The error occurred again" },
      };
    },
  },
];

const updates: readonly Sample[] = [
  patched("described", async (owner) => ({
    ...(await raised(owner)),
    body: { description: "It is the fuse", urgency: 1 },
  })),
  patched("given to somebody, and worse", async (owner, world) => ({
    ...(await raised(owner)),
    body: { assigneeId: await userId(world), severity: "critical" },
  })),
  patched("resolved", async (owner) => ({
    ...(await raised(owner)),
    body: { state: "resolved", resolution: "Replaced the fuse" },
  })),
  patched("closed", async (owner) => ({ ...(await resolved(owner)), body: { state: "closed" } })),
  patched("reopened", async (owner) => ({
    ...(await resolved(owner)),
    body: { state: "in_progress" },
  })),
  patched("cancelled", async (owner) => ({
    ...(await raised(owner)),
    body: { state: "cancelled" },
  })),
];

const moves: readonly Sample[] = [
  {
    operation: "incidents.resolve",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { resolution: "Replaced the fuse", resolutionCode: "solved" },
    }),
  },
  {
    operation: "incidents.escalate",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { severity: "critical", reason: "The whole site" },
    }),
  },
  { operation: "incidents.close", arrange: (owner) => resolved(owner) },
  {
    operation: "incidents.rate",
    arrange: async (owner) => ({
      ...(await resolved(owner)),
      body: { satisfaction: 5, comment: "Quick" },
    }),
  },
  {
    operation: "incidents.reopen",
    arrange: async (owner) => ({
      ...(await resolved(owner)),
      body: { reason: "The error occurred again" },
    }),
  },
  {
    operation: "incidents.cancel",
    arrange: async (owner) => ({ ...(await raised(owner)), body: { reason: "Duplicate" } }),
  },
];

const families: readonly Sample[] = [
  {
    operation: "incidents.declare_major",
    arrange: async (owner) => ({ ...(await raised(owner)), body: { reason: "Everywhere" } }),
  },
  {
    operation: "incidents.end_major",
    arrange: async (owner) => {
      const { id } = (await family(owner)).params;
      return { params: { id } };
    },
  },
  { operation: "incidents.list_children", arrange: major },
  {
    operation: "incidents.add_child",
    arrange: async (owner) => ({
      ...(await major(owner)),
      body: { incidentId: (await raised(owner)).params.id },
    }),
  },
  { operation: "incidents.remove_child", arrange: family },
  {
    operation: "incidents.broadcast",
    arrange: async (owner) => ({ ...(await major(owner)), body: { message: "An hour more" } }),
  },
];

const duplicates: readonly Sample[] = [
  {
    operation: "incidents.merge",
    arrange: async (owner) => ({
      ...(await raised(owner)),
      body: { intoId: (await raised(owner)).params.id },
    }),
  },
  {
    operation: "incidents.unmerge",
    arrange: async (owner) => {
      const [source, target] = [await raised(owner), await raised(owner)];
      await owner(`POST ${PATH}/${source.params.id}/merge`, { intoId: target.params.id });
      return source;
    },
  },
];

const parts: readonly Sample[] = [
  {
    operation: "incidents.split",
    arrange: async (owner) => {
      const sample = await raised(owner);
      const { body } = await owner(`POST ${PATH}/${sample.params.id}/comments`, {
        body: "And this",
      });
      return { ...sample, body: { title: "The other half", commentIds: [body.data.id] } };
    },
  },
  patched("held until tomorrow", async (owner, world) => ({
    ...(await raised(owner)),
    body: {
      state: "on_hold",
      holdUntil: new Date(world.clock.now().getTime() + 86_400_000).toISOString(),
    },
  })),
];

export const samples: readonly Sample[] = [
  { operation: "incidents.list", arrange: async () => ({ query: { limit: "2", queue: "true" } }) },
  {
    operation: "incidents.create",
    arrange: async (_owner, world) => ({
      body: { title: "No mail", impact: 2, urgency: 1, assigneeId: await userId(world) },
    }),
  },
  { operation: "incidents.get", arrange: (owner) => raised(owner) },
  ...updates,
  { operation: "incidents.take", arrange: (owner) => raised(owner) },
  {
    operation: "incidents.assign",
    arrange: async (owner, world) => ({
      ...(await raised(owner, { teamId: await team(owner) })),
      body: { assigneeId: await userId(world), teamId: await team(owner) },
    }),
  },
  ...moves,
  ...families,
  ...duplicates,
  ...parts,
  ...routed,
];
