import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { routedTitle } from "../testing/assignment-rule.ts";

let count = 0;

const form = {
  type: "object",
  properties: { model: { type: "string", enum: ["light", "strong"], default: "light" } },
  required: ["model"],
  additionalProperties: false,
};

function freshName(): string {
  count += 1;
  return `Laptop ${count}`;
}

/** Items are shared by all environments. */
async function item(owner: Ask, more: object = {}) {
  const draft = { name: freshName(), form, ...more };
  const { body } = await owner("POST /api/v1/catalog/items", draft);
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

async function asked(owner: Ask, more: object = {}): Promise<{ params: { id: string } }> {
  const { params } = await item(owner, more);
  const draft = { itemId: params.id, values: { model: "strong" } };
  const { body } = await owner("POST /api/v1/catalog/requests", draft);
  return { params: { id: body.data.id } };
}

/** A request with another member as approver. `others` are additional approvers. */
async function awaiting(owner: Ask, world: World, others: readonly string[] = []) {
  const by = await world.member(["member"]);
  const approval = { required: true, approverIds: [by.userId, ...others], rule: "all" };
  return { ...(await asked(owner, { approval })), by };
}

export const samples: readonly Sample[] = [
  {
    operation: "requests.rate",
    arrange: async (owner) => {
      const made = await asked(owner);
      await owner(`POST /api/v1/catalog/requests/${made.params.id}/fulfil`, {});
      return { ...made, body: { satisfaction: 4, comment: "Good" } };
    },
  },
  {
    operation: "catalog.list_items",
    arrange: async (owner) => {
      await item(owner);
      return { query: { limit: "2", status: "all", category: "" }, environmentScoped: false };
    },
  },
  {
    operation: "catalog.create_item",
    arrange: async (owner) => ({
      body: {
        name: freshName(),
        description: "For work",
        category: "Hardware",
        icon: "laptop",
        form,
        approval: { required: true, approverIds: [], rule: "any" },
        workflowId: await deployWorkflow(owner, [{ id: "a", type: "set", config: { values: {} } }]),
      },
    }),
  },
  {
    operation: "catalog.list_item_tasks",
    arrange: (owner) => item(owner, { tasks: [{ title: "Order it" }] }),
  },
  {
    operation: "requests.submit",
    name: "with tasks",
    arrange: async (owner) => {
      const { params } = await item(owner, { tasks: [{ title: "Order it" }] });
      return { body: { itemId: params.id, values: {} } };
    },
  },
  {
    operation: "requests.approve",
    name: "with tasks",
    arrange: async (owner, world) => {
      // An agent can see everything that a dry run reports.
      const by = await world.member(["agent"]);
      const approval = { required: true, approverIds: [by.userId] };
      return { ...(await asked(owner, { approval, tasks: [{ title: "Order it" }] })), by };
    },
  },
  { operation: "catalog.get_item", arrange: (owner) => item(owner) },
  {
    operation: "catalog.update_item",
    arrange: async (owner) => ({
      ...(await item(owner)),
      body: { name: freshName(), description: "For play" },
    }),
  },
  { operation: "catalog.retire_item", arrange: (owner) => item(owner) },
  {
    operation: "requests.list",
    arrange: async (owner) => {
      await asked(owner);
      return { query: { limit: "2", state: "fulfilling", own: "true" } };
    },
  },
  {
    operation: "requests.submit",
    arrange: async (owner, world) => ({
      body: {
        itemId: (await item(owner)).params.id,
        values: {},
        requestedFor: (await world.member(["member"])).userId,
        description: "By Monday, please",
      },
    }),
  },
  {
    operation: "requests.submit",
    name: "that somebody must approve",
    arrange: async (owner) => {
      const { params } = await item(owner, { approval: { required: true } });
      return { body: { itemId: params.id, values: { model: "light" } } };
    },
  },
  {
    operation: "requests.submit",
    name: "with a file",
    arrange: async (owner) => {
      const withFile = {
        type: "object",
        properties: { proof: { type: "string", "x-file": true } },
      };
      const { params } = await item(owner, { form: withFile });
      const { body } = await owner("POST /api/v1/files?name=proof.json", { paid: true });
      return { body: { itemId: params.id, values: { proof: body.data.id } } };
    },
  },
  {
    operation: "requests.submit",
    name: "by a rule",
    arrange: async (owner, world) => {
      const { params } = await item(owner);
      const rule = { entity: "request", field: "description" };
      const description = await routedTitle(owner, world, rule);
      return { body: { itemId: params.id, values: {}, description } };
    },
  },
  { operation: "requests.take", arrange: (owner) => asked(owner) },
  { operation: "requests.get", arrange: (owner) => asked(owner) },
  { operation: "requests.get_answers", arrange: (owner) => asked(owner) },
  {
    operation: "requests.update",
    arrange: async (owner, world) => ({
      ...(await asked(owner)),
      body: { assigneeId: (await world.member(["agent"])).userId },
    }),
  },
  {
    operation: "requests.approve",
    arrange: async (owner, world) => ({
      ...(await awaiting(owner, world)),
      body: { comment: "It is in the budget." },
    }),
  },
  {
    operation: "requests.approve",
    name: "as one of two",
    arrange: async (owner, world) =>
      awaiting(owner, world, [(await world.member(["member"])).userId]),
  },
  {
    operation: "requests.reject",
    arrange: async (owner, world) => ({
      ...(await awaiting(owner, world)),
      body: { reason: "There are some in the cupboard." },
    }),
  },
  {
    operation: "requests.approve",
    name: "before a further step",
    arrange: async (owner, world) => {
      const by = await world.member(["agent"]);
      const approvers = [{ kind: "person", id: by.userId }];
      const approval = { required: true, steps: [{ approvers }, { approvers }] };
      return { ...(await asked(owner, { approval })), by };
    },
  },
  {
    operation: "requests.remind",
    arrange: async (owner, world) => {
      const { params } = await awaiting(owner, world);
      const text =
        "update approvals set reminded_at = now() - interval '2 days' where subject_id = $1";
      await world.sql(text, [params.id]);
      return { params };
    },
  },
  {
    operation: "requests.fulfil",
    arrange: async (owner) => ({ ...(await asked(owner)), body: { notes: "Handed over." } }),
  },
  {
    operation: "requests.cancel",
    arrange: async (owner) => ({ ...(await asked(owner)), body: { reason: "Found it." } }),
  },
  {
    operation: "requests.retry",
    arrange: async (owner, world) => {
      const { params } = await asked(owner);
      // Only a failing run sets this state, and the samples execute no runs.
      const text = "update catalog_requests set state = 'failed' where id = $1";
      await world.sql(text, [params.id]);
      return { params };
    },
  },
];
