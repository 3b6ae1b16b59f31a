import * as types from "#domains/workflows/index.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { parseResponseContent } from "#kernel/outbound/response-content.ts";
import { derivedId, timeOfId } from "#kernel/schema/id.ts";
import { executor, StepFailure, type StepResult, type StepTools } from "./executor.ts";
import { runActor } from "../engine/run-context.ts";
import { startInline, writeRunStart } from "../start/start-run.ts";

const publishEvent = executor({
  type: types.publishEvent,
  async run({ topic, type, payload = {} }, { perform }) {
    const body = { type, payload };
    return { output: dataOf(await perform("topics.publish", { params: { name: topic }, body })) };
  },
});

const notify = executor({
  type: types.notify,
  async run({ userIds, title, body = "" }, { perform }) {
    return {
      output: dataOf(await perform("notifications.send", { body: { userIds, title, body } })),
    };
  },
});

function dataOf(answer: unknown): unknown {
  return (answer as { data: unknown }).data;
}

const RESPONSE_BYTES_MAX = 1_048_576;
const TIMEOUT_MAX_MS = 300_000;

/** A call to anywhere that the outbound guard permits. An answer of 400 or more is a failure. */
const http = executor({
  type: types.http,
  async run(
    { method = "GET", url, headers = {}, query = {}, body },
    { platform, signal, ...tools },
  ) {
    const isText = typeof body === "string";
    const response = await platform.outbound.request({
      method,
      url: withQuery(url, query),
      headers: {
        ...(body !== undefined && !isText && { "content-type": "application/json" }),
        "idempotency-key": tools.idempotencyKey,
        ...lowerCased(headers),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MAX_MS,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      allowHttp: true,
      signal,
    });
    if (response.truncated) {
      throw new StepFailure("response_too_large", "The answer is larger than 1 MiB.");
    }
    const output = {
      status: response.status,
      headers: response.headers,
      body: parseResponseContent(response.headers, response.body),
    };
    if (response.status < 400) return { output };
    const passing = response.status >= 500 || response.status === 408 || response.status === 429;
    tools.log("error", `${method} answered ${response.status}`, { body: output.body });
    throw new StepFailure("http_status", `The answer was ${response.status}.`, {
      retryable: passing,
    });
  },
});

function withQuery(url: string, query: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(query);
  if (names.length === 0 || !URL.canParse(url)) return url;
  const target = new URL(url);
  for (const name of names) {
    for (const value of [query[name]].flat()) {
      if (value !== undefined && value !== null) target.searchParams.append(name, textOf(value));
    }
  }
  return target.href;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const condition = executor({
  type: types.condition,
  async run(_config, { evaluate }) {
    const value = await evaluate("expression");
    const holds = isTrue(value);
    return { output: holds, branch: String(holds) };
  },
});

const switchNode = executor({
  type: types.switchNode,
  async run({ cases }, { evaluate }) {
    const value = await evaluate("expression");
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const branch = cases.map(String).includes(text) ? text : "default";
    return { output: value ?? null, branch };
  },
});

const transform = executor({
  type: types.transform,
  run: async (_config, { evaluate }) => ({ output: (await evaluate("expression")) ?? null }),
});

const set = executor({
  type: types.set,
  run: ({ values }) => ({ output: values }),
});

const loop = executor({
  type: types.loop,
  run: ({ items }) => ({ items }),
});

const respond = executor({
  type: types.respond,
  run: ({ status = 200, headers = {}, body = null }) => ({ output: { status, headers, body } }),
});

const fail = executor({
  type: types.fail,
  run({ message }) {
    throw new StepFailure("failed_by_design", message, { retryable: false });
  },
});

/** As JSONata's own `$boolean` has it. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/**
 * Starts a run of another workflow, as deployed in this environment, and waits for it. The run's id
 * follows from this step, so that a step which is begun again finds the run that it started.
 */
const subworkflow = executor({
  type: types.subworkflow,
  async run({ workflowId, input }, tools) {
    const { platform, run, path, attempt, idempotencyKey } = tools;
    if (run.cause.depth >= CAUSATION_DEPTH_MAX) {
      throw new StepFailure("chain_too_deep", `A chain ends after ${CAUSATION_DEPTH_MAX} links.`, {
        retryable: false,
      });
    }
    const partition = { workspace: run.workspace, environment: run.environment };
    // It stands beside its parent in lists.
    const id = derivedId("run", `${idempotencyKey} ${attempt}`, timeOfId(run.id));
    const earlier = await resultOf(tools, id);
    if (earlier) return earlier;
    const deployment = await platform.db.read(partition, (tx) =>
      types.findDeployment(tx, workflowId, run.environment),
    );
    const version = deployment && (await types.planOfVersion(platform, deployment.versionId));
    if (!deployment || !version) {
      throw new StepFailure("not_deployed", `${workflowId} is not deployed here.`, {
        retryable: false,
      });
    }
    const cause = { ...run.cause, depth: run.cause.depth + 1 };
    const beginning = await startInline(platform, {
      ...partition,
      id,
      version,
      triggerType: "subworkflow",
      trigger: { type: "subworkflow", input: input ?? null },
      actor: runActor(run),
      runAs: deployment.deployedBy,
      permissions: deployment.permissions,
      cause,
      parent: { runId: run.id, path },
    });
    await runAsSystem(platform, partition, cause, async (ctx) => {
      // Whoever cancels the run that waits takes its children with it: those that it can see.
      const waiting = await ctx.send(STILL_GOING, [run.id]);
      if (waiting.length === 0) throw new StepFailure("cancelled", "The run was ended.");
      await Promise.all([
        types.holdVersion(ctx.tx, version.versionId),
        writeRunStart(ctx, beginning),
      ]);
    });
    return (await resultOf(tools, id)) ?? { wait: { kind: "child", runId: id } };
  },
});

const STILL_GOING = `
  select id from runs where id = $1 and status not in ('completed', 'failed', 'cancelled') for share`;

/** What a child run gave, or that it is to be waited for; undefined when there is none. */
async function resultOf({ platform, run }: StepTools, id: string): Promise<StepResult | undefined> {
  const { workspace, environment } = run;
  const row = await platform.db.read({ workspace, environment }, (tx) =>
    tx
      .selectFrom("runs")
      .select(["status", "output", "error"])
      .where("id", "=", id)
      .executeTakeFirst(),
  );
  if (!row) return undefined;
  if (row.status === "completed") return { output: row.output };
  if (row.status !== "failed" && row.status !== "cancelled") {
    return { wait: { kind: "child", runId: id } };
  }
  const { message = `The run was ${row.status}.` } = (row.error ?? {}) as { message?: string };
  throw new StepFailure("subworkflow_failed", message);
}

const delay = executor({
  type: types.delay,
  run: ({ ms }, { platform }) => ({
    wait: { kind: "delay", untilMs: platform.clock.nowMs() + ms },
  }),
});

const waitForEvent = executor({
  type: types.waitForEvent,
  run({ topic, eventType, filter, timeoutMs }, { platform }) {
    // What its templates gave may be no condition.
    const [fault] = types.waitForEvent.check?.({ eventType, filter }) ?? [];
    if (fault) {
      throw new StepFailure("invalid_config", `${fault.path} ${fault.message}`, {
        retryable: false,
      });
    }
    return {
      wait: {
        kind: "event",
        topic,
        ...(eventType !== undefined && { eventType }),
        ...(filter !== undefined && { filter }),
        ...(timeoutMs !== undefined && { untilMs: platform.clock.nowMs() + timeoutMs }),
      },
    };
  },
});

const approval = executor({
  type: types.approval,
  run: ({ approvers, quorum = 1, message, expiresMs }, { platform }) => ({
    wait: {
      kind: "approval",
      approvers,
      quorum,
      ...(message !== undefined && { message }),
      decisions: [],
      ...(expiresMs !== undefined && { untilMs: platform.clock.nowMs() + expiresMs }),
    },
  }),
});

/** The node types that need no other domain. */
export const builtInExecutors = [
  set,
  condition,
  switchNode,
  transform,
  loop,
  respond,
  fail,
  http,
  delay,
  waitForEvent,
  approval,
  subworkflow,
  publishEvent,
  notify,
];
