import type { Sample } from "#kernel/testing/samples.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";

const SET = { id: "keep", type: "set", config: { values: { seen: "{{ trigger.input.body }}" } } };
const STOP = { id: "stop", type: "fail", config: { message: "Not today." } };
const ASK = { id: "ask", type: "approval", config: { approvers: ["owner"] } };

async function deployWebhook(owner: Ask, node: object, more: object = {}) {
  const id = await deployWorkflow(owner, [node], { trigger: { type: "webhook" }, ...more });
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  const [workspace = "", token = ""] = new URL(body.data.trigger.url).pathname.split("/").slice(2);
  return { params: { workspace, token }, body: { any: "thing" } };
}

const FORM = {
  type: "form",
  title: "Ask",
  pages: [{ fields: [{ name: "message" }] }],
};
const KEEP = { id: "keep", type: "set", config: { values: { seen: "{{ trigger.input }}" } } };
const CHAT = { type: "chat", title: "Chat" };

/** Deploys a workflow with its own page. */
async function deployPage(owner: Ask, trigger: object, node: object = KEEP, more: object = {}) {
  const id = await deployWorkflow(owner, [node], { trigger, ...more });
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  const [workspace = "", token = ""] = new URL(body.data.trigger.url).pathname.split("/").slice(2);
  return { id, params: { workspace, token } };
}

/** Sends the request and ends the run, because the response would otherwise take half a minute. */
function askAndEnd(owner: Ask, workflowId: string): Ask {
  return async (route, body, headers = {}) => {
    const asking = owner(route, body, headers);
    if (headers["prefer"] === "dry-run") return asking;
    const run = await until(async () => {
      const { body: found } = await owner(`GET /api/v1/runs?workflowId=${workflowId}`);
      return found.data[0];
    });
    await owner(`POST /api/v1/runs/${run.id}/cancel`, {});
    return asking;
  };
}

async function askedChat(owner: Ask) {
  const { params } = await deployPage(owner, CHAT);
  const path = `/chat/${params.workspace}/${params.token}/messages`;
  const { body } = await owner(`POST ${path}`, { message: "Hello" });
  const { runId, sessionId } = body.data;
  return { params: { ...params, runId: String(runId) }, query: { sessionId } };
}

/** A missing file of a response, because no node in the samples creates one. */
async function missingFile(owner: Ask) {
  const { params } = await askedChat(owner);
  const fileId = "file_01jd0000000000000000000000";
  return {
    params: { ...params, fileId },
    query: { key: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" },
    status: 404,
  };
}

/** A run that reports the address at which it waits. */
async function waitForCall(owner: Ask) {
  const nodes = [
    { id: "tell", type: "respond", config: { body: "{{ run.resumeUrl }}" } },
    { id: "wait", type: "wait_for_call" },
  ];
  const id = await deployWorkflow(owner, nodes, { trigger: { type: "webhook" } });
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  const told = await owner(`POST ${new URL(body.data.trigger.url).pathname}`, {});
  const [runId = "", token = ""] = new URL(String(told.body)).pathname.split("/").slice(2);
  return { params: { runId, token }, body: { any: "thing" } };
}

/** A run that reports the address of its form. */
async function waitForForm(owner: Ask) {
  const config = { title: "Which?", pages: [{ fields: [{ name: "size" }] }] };
  const nodes = [
    { id: "tell", type: "respond", config: { body: "{{ run.resumeUrl }}" } },
    { id: "wait", type: "wait_for_form", config },
  ];
  const id = await deployWorkflow(owner, nodes, { trigger: { type: "webhook" } });
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  const told = await owner(`POST ${new URL(body.data.trigger.url).pathname}`, {});
  const [runId = "", token = ""] = new URL(String(told.body)).pathname.split("/").slice(2);
  return { params: { runId, token } };
}

/** Pages with runs that fail, wait for input, and queue. */
const pages: readonly Sample[] = (
  [
    ["chat.ask", CHAT],
    ["chat.send", CHAT],
    ["hooks.send_form", FORM],
  ] as const
).flatMap(([operation, trigger]) =>
  (
    [
      ["that fails", STOP, {}],
      ["that asks somebody", ASK, {}],
      ["that queues", KEEP, { maxConcurrency: 1 }],
    ] as const
  ).map(([name, node, more]) => ({
    operation,
    name,
    arrange: async (owner: Ask) => {
      const { id, params } = await deployPage(owner, trigger, node, more);
      const isAwaited = operation === "chat.send" && node !== STOP;
      return {
        params,
        body: { message: "Hello" },
        ...(isAwaited && { by: askAndEnd(owner, id) }),
      };
    },
  })),
);

export const samples: readonly Sample[] = [
  ...pages,
  {
    operation: "hooks.show_form",
    arrange: (owner) => deployPage(owner, FORM),
  },
  {
    operation: "hooks.send_form",
    arrange: async (owner) => ({
      ...(await deployPage(owner, FORM)),
      body: { message: "Hello" },
    }),
  },
  {
    operation: "chat.show",
    arrange: (owner) => deployPage(owner, CHAT),
  },
  {
    operation: "chat.ask",
    arrange: async (owner) => ({
      ...(await deployPage(owner, CHAT)),
      body: { message: "Hello" },
    }),
  },
  {
    operation: "chat.send",
    arrange: async (owner) => ({
      ...(await deployPage(owner, CHAT)),
      body: { message: "Hello" },
    }),
  },
  { operation: "chat.follow", arrange: askedChat },
  { operation: "chat.open_file", arrange: missingFile },
  { operation: "runs.call", arrange: waitForCall },
  { operation: "runs.show_form", arrange: waitForForm },
  {
    operation: "runs.send_form",
    arrange: async (owner) => ({ ...(await waitForForm(owner)), body: { size: "L" } }),
  },
  { operation: "hooks.receive", arrange: (owner) => deployWebhook(owner, SET) },
  {
    operation: "hooks.receive",
    name: "that fails",
    arrange: (owner) => deployWebhook(owner, STOP),
  },
  {
    operation: "hooks.receive",
    name: "that asks somebody",
    arrange: (owner) => deployWebhook(owner, ASK),
  },
  {
    operation: "hooks.receive",
    name: "that queues",
    arrange: (owner) => deployWebhook(owner, SET, { maxConcurrency: 1 }),
  },
];
