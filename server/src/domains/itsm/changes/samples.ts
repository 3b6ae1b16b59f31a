import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { routedTitle } from "../testing/assignment-rule.ts";

const PATH = "/api/v1/itsm/changes";
let count = 0;

async function made(ask: Ask, path: string, body: object): Promise<string> {
  const { status, body: answer } = await ask(`POST ${path}`, body);
  if (status !== 201) throw new Error(`${path} answered ${status} ${JSON.stringify(answer)}`);
  return answer.data.id;
}

/** Creates a draft and performs these actions as the requester. */
async function change(requester: Ask, actions: readonly string[] = [], more: object = {}) {
  const id = await made(requester, PATH, { title: "A sample", ...more });
  for (const action of actions) await requester(`POST ${PATH}/${id}/${action}`, {});
  return { params: { id } };
}

/** A change requested by another member, so that the owner can decide on it. */
async function submitted(world: World, more: object = {}) {
  return change(await world.member(["agent"]), ["submit"], more);
}

/** Two approvers: the owner, and a member who leaves later. */
async function approvers(owner: Ask, world: World) {
  const { userId } = await world.member(["change_manager"]);
  const leave = () => owner(`PATCH /api/v1/settings/users/${userId}`, { status: "deactivated" });
  const approval = { rule: "count", value: 1, approverIds: [await meId(owner), userId] };
  return { approval, leave };
}

/** Creates a change that waits for the owner and for a former member. */
async function deserted(owner: Ask, world: World) {
  const { approval, leave } = await approvers(owner, world);
  const { params } = await submitted(world, { approval });
  await leave();
  return { params };
}

async function approved(owner: Ask, world: World) {
  const { params } = await submitted(world);
  await owner(`POST ${PATH}/${params.id}/approve`, {});
  return { params };
}

async function implementing(owner: Ask, world: World) {
  const { params } = await approved(owner, world);
  await owner(`POST ${PATH}/${params.id}/implement`);
  return { params };
}

async function meId(owner: Ask): Promise<string> {
  return (await owner("GET /api/v1/auth/me")).body.data.user.id;
}

async function template(owner: Ask, more: object = {}) {
  count += 1;
  const id = await made(owner, "/api/v1/itsm/change-templates", {
    name: `Sample ${count}`,
    ...more,
  });
  return { params: { id }, environmentScoped: false };
}

async function blackout(owner: Ask): Promise<Arranged & { params: { id: string } }> {
  const body = { name: "A sample", start: "2031-01-01T00:00:00Z", end: "2031-01-02T00:00:00Z" };
  return { params: { id: await made(owner, "/api/v1/itsm/blackout-windows", body) } };
}

async function delegation(world: World) {
  const { userId } = await world.member(["change_manager"]);
  const times = { from: "2031-01-01T00:00:00Z", to: "2031-01-02T00:00:00Z" };
  return { body: { toUserId: userId, ...times } };
}

export const samples: readonly Sample[] = [
  { operation: "changes.list", arrange: async () => ({ query: { mine: "true", state: "draft" } }) },
  { operation: "changes.create", arrange: async () => ({ body: { title: "A sample" } }) },
  {
    operation: "changes.create",
    name: "by a rule",
    arrange: async (owner, world) => ({
      body: { title: await routedTitle(owner, world, { entity: "change" }) },
    }),
  },
  {
    operation: "changes.create",
    name: "with tasks",
    async arrange(owner) {
      const tasks = [{ title: "Drain it" }, { title: "Restart it", dependsOn: [0] }];
      const { params } = await template(owner, { tasks });
      return { body: { title: "A sample", templateId: params.id } };
    },
  },
  { operation: "changes.get", arrange: (owner) => change(owner) },
  {
    operation: "changes.update",
    arrange: async (owner) => ({ ...(await change(owner)), body: { title: "Another title" } }),
  },
  {
    operation: "changes.update",
    name: "that moves it into other hours",
    async arrange(owner, world) {
      const { approval, leave } = await approvers(owner, world);
      const { params } = await submitted(world, { approval, plannedStart: "2031-01-01T00:00:00Z" });
      await owner(`POST ${PATH}/${params.id}/approve`, {});
      await leave();
      return { params, body: { plannedStart: "2030-01-01T00:00:00Z" } };
    },
  },
  { operation: "changes.take", arrange: (owner) => change(owner) },
  { operation: "changes.conflicts", arrange: (owner) => change(owner) },
  { operation: "changes.submit", arrange: (owner) => change(owner) },
  {
    operation: "changes.submit",
    name: "of a standard change",
    async arrange(owner) {
      const { params } = await template(owner);
      return change(owner, [], { type: "standard", templateId: params.id });
    },
  },
  {
    operation: "changes.submit",
    name: "without an approver who left",
    async arrange(owner, world) {
      const { approval, leave } = await approvers(owner, world);
      const requester = await world.member(["agent"]);
      const { params } = await change(requester, [], { approval });
      await leave();
      return { params };
    },
  },
  {
    operation: "changes.approve",
    name: "beside an approver who left",
    arrange: async (owner, world) => ({ ...(await deserted(owner, world)), body: {} }),
  },
  {
    operation: "changes.reject",
    name: "beside an approver who left",
    arrange: async (owner, world) => ({
      ...(await deserted(owner, world)),
      body: { reason: "No" },
    }),
  },
  {
    operation: "changes.approve",
    arrange: async (_owner, world) => ({ ...(await submitted(world)), body: { comment: "Good" } }),
  },
  {
    operation: "changes.reject",
    arrange: async (_owner, world) => ({ ...(await submitted(world)), body: { reason: "No" } }),
  },
  {
    operation: "changes.delegate",
    async arrange(owner, world) {
      const { userId } = await world.member(["change_manager"]);
      const approval = { approverIds: [await meId(owner)] };
      return { ...(await submitted(world, { approval })), body: { toUserId: userId } };
    },
  },
  { operation: "changes.list_approvals", arrange: (_owner, world) => submitted(world) },
  {
    operation: "changes.revise",
    async arrange(owner, world) {
      const { params } = await submitted(world);
      await owner(`POST ${PATH}/${params.id}/reject`, { reason: "Not yet" });
      return { params };
    },
  },
  { operation: "changes.implement", arrange: approved },
  {
    operation: "changes.complete",
    arrange: async (owner, world) => ({
      ...(await implementing(owner, world)),
      body: { notes: "Done" },
    }),
  },
  {
    operation: "changes.rollback",
    arrange: async (owner, world) => ({
      ...(await implementing(owner, world)),
      body: { notes: "Too slow" },
    }),
  },
  {
    operation: "changes.cancel",
    arrange: async (owner) => ({ ...(await change(owner)), body: { reason: "No need" } }),
  },
  { operation: "changes.list_delegations", arrange: async () => ({}) },
  { operation: "changes.set_delegation", arrange: (_owner, world) => delegation(world) },
  {
    operation: "changes.end_delegation",
    async arrange(owner, world) {
      await owner(`PUT ${PATH}/delegations`, (await delegation(world)).body);
      return {};
    },
  },
  {
    operation: "changes.calendar",
    arrange: async () => ({ query: { from: "2031-01-01T00:00:00Z", to: "2031-02-01T00:00:00Z" } }),
  },
  { operation: "changes.calendar_ics", arrange: async () => ({}) },
  {
    operation: "changes.create_calendar_feed",
    async arrange(owner) {
      await owner(`POST ${PATH}/calendar-feed`);
      return {};
    },
  },
  {
    operation: "changes.delete_calendar_feed",
    async arrange(owner) {
      await owner(`POST ${PATH}/calendar-feed`);
      return {};
    },
  },
  {
    operation: "changes.read_calendar_feed",
    async arrange(owner) {
      const { body } = await owner(`POST ${PATH}/calendar-feed`);
      const [, token = ""] = /calendars\/(.+)\.ics$/.exec(body.data.url) ?? [];
      return { params: { token } };
    },
  },
  { operation: "change_templates.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "change_templates.create",
    async arrange() {
      count += 1;
      return { body: { name: `Sample ${count}` } };
    },
  },
  { operation: "change_templates.get", arrange: (owner) => template(owner) },
  {
    operation: "change_templates.update",
    arrange: async (owner) => ({ ...(await template(owner)), body: { active: false } }),
  },
  { operation: "change_templates.delete", arrange: (owner) => template(owner) },
  { operation: "changes.free_windows", arrange: async () => ({ query: { hours: "2" } }) },
  { operation: "blackout_windows.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "blackout_windows.create",
    arrange: async () => ({
      body: { name: "A sample", start: "2031-01-01T00:00:00Z", end: "2031-01-02T00:00:00Z" },
    }),
  },
  { operation: "blackout_windows.get", arrange: blackout },
  {
    operation: "blackout_windows.update",
    arrange: async (owner) => ({ ...(await blackout(owner)), body: { name: "Another name" } }),
  },
  { operation: "blackout_windows.delete", arrange: blackout },
];
