import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { ackPath } from "./pages/ack-link.ts";
import { escalationPolicies } from "./pages/policy.ts";
import { schedules } from "./schedule.ts";

const SCHEDULES = "/api/v1/itsm/on-call-schedules";
const DAY_MS = 86_400_000;
let count = 0;

async function rota(_owner: Ask, world: World) {
  count += 1;
  const people = await Promise.all([world.member(["agent"]), world.member(["agent"])]);
  const layer = {
    name: "Weeks",
    userIds: people.map(({ userId }) => userId),
    turn: { unit: "week", count: 1 },
    startsOn: "2026-01-05",
    handOver: "09:00",
  };
  return { name: `Rota ${count}`, timeZone: "Europe/Berlin", layers: [layer] };
}

async function policy(_owner: Ask, world: World) {
  count += 1;
  const { userId } = await world.member(["agent"]);
  const steps = [{ targets: [{ type: "user", id: userId }], waitMinutes: 5 }];
  return { name: `Policy ${count}`, steps };
}

async function made(owner: Ask, world: World) {
  const { body } = await owner(`POST ${SCHEDULES}`, await rota(owner, world));
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

const later = (world: World, days: number) =>
  new Date(world.clock.now().getTime() + days * DAY_MS).toISOString();

async function overridden(owner: Ask, world: World) {
  const { params } = await made(owner, world);
  const time = { from: later(world, 1), until: later(world, 2) };
  const { body } = await owner(`POST ${SCHEDULES}/${params.id}/overrides`, time);
  return {
    params: { ...params, overrideId: body.data.id as string },
    environmentScoped: false,
  };
}

async function pageInput(owner: Ask, world: World) {
  const policies = escalationPolicies.declaration.path;
  const { body: by } = await owner(`POST ${policies}`, await policy(owner, world));
  const { body: about } = await owner("POST /api/v1/itsm/incidents", { title: "A sample" });
  return { policyId: by.data.id as string, ticketId: about.data.id as string };
}

async function pageNobody(owner: Ask, world: World, rest: "then somebody" | "nobody else") {
  count += 1;
  const { body: team } = await owner("POST /api/v1/itsm/teams", { name: `Empty ${count}` });
  const { steps, ...input } = await policy(owner, world);
  const empty = { targets: [{ type: "team", id: team.data.id as string }], waitMinutes: 5 };
  const { body: by } = await owner(`POST ${escalationPolicies.declaration.path}`, {
    ...input,
    steps: [empty, ...(rest === "then somebody" ? steps : [])],
  });
  const { body: about } = await owner("POST /api/v1/itsm/incidents", { title: "A sample" });
  return { body: { policyId: by.data.id as string, ticketId: about.data.id as string } };
}

async function paged(owner: Ask, world: World) {
  const { body } = await owner("POST /api/v1/itsm/pages", await pageInput(owner, world));
  return { params: { id: body.data.id as string } };
}

async function linked(owner: Ask, world: World) {
  const { params } = await paged(owner, world);
  const { body } = await owner(`GET /api/v1/itsm/pages/${params.id}`);
  const [row] = await world.sql("select workspace_id, environment from pages where id = $1", [
    params.id,
  ]);
  const partition = { workspace: row?.["workspace_id"], environment: row?.["environment"] };
  const link = { partition, pageId: params.id, userId: body.data.userIds[0] as string };
  const path = ackPath(world.kernel.masterKey, link, world.clock.now());
  return { params: { token: path.slice("/pages/ack/".length) } };
}

export const samples: readonly Sample[] = [
  ...resourceSamples(schedules, rota),
  ...resourceSamples(escalationPolicies, policy),
  { operation: "on_call_schedules.get_on_call", arrange: made },
  { operation: "on_call_schedules.list_shifts", arrange: made },
  {
    operation: "on_call_schedules.preview",
    arrange: async (owner, world) => ({
      body: { layers: (await rota(owner, world)).layers },
      environmentScoped: false,
    }),
  },
  {
    operation: "on_call.list",
    arrange: async () => ({ query: { limit: "2" }, environmentScoped: false }),
  },
  { operation: "on_call_schedules.list_overrides", arrange: made },
  {
    operation: "on_call_schedules.add_override",
    arrange: async (owner, world) => ({
      ...(await made(owner, world)),
      body: { from: later(world, 1), until: later(world, 2) },
    }),
  },
  { operation: "on_call_schedules.remove_override", arrange: overridden },
  {
    operation: "on_call_schedules.swap",
    arrange: async (owner, world) => ({
      ...(await made(owner, world)),
      body: { at: later(world, 10), withAt: later(world, 17) },
    }),
  },
  { operation: "pages.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "pages.get", arrange: paged },
  {
    operation: "pages.create",
    arrange: async (owner, world) => ({ body: await pageInput(owner, world) }),
  },
  {
    operation: "pages.create",
    name: "by a policy whose first team is empty",
    arrange: (owner, world) => pageNobody(owner, world, "then somebody"),
  },
  {
    operation: "pages.create",
    name: "by a policy whose teams are all empty",
    arrange: (owner, world) => pageNobody(owner, world, "nobody else"),
  },
  { operation: "pages.acknowledge", arrange: paged },
  { operation: "pages.acknowledge_page", arrange: linked },
  { operation: "pages.acknowledge_form", arrange: linked },
  { operation: "on_call.list_problems", arrange: async () => ({ environmentScoped: false }) },
];
