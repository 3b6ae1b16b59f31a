import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { publish } from "./testing/triggers.ts";
import { deployWorkflow, runWorkflow, stepsOf, trigger, waitForRun } from "./testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

/**
 * Reads the events of a correlation in log order, with the types of their causes. Excludes SLA clocks and
 * notifications because readers add them later.
 */
async function readChain(correlationId: string): Promise<string[]> {
  const rows = await world.sql(
    `select id, type, causation_id, made_by, step_id from (
       select *, row_number() over (order by epoch, xid, seq) as id from events
        where correlation_id = $1 and type !~ '^(sla|notification)[.]') e order by id`,
    [correlationId],
  );
  const { body } = await owner("GET /api/v1/audit?limit=200");
  const types = new Map<string, string>(body.data.map(({ id, type }: any) => [id, type]));
  return rows.map(({ type, causation_id: cause, made_by: maker, step_id: step }) =>
    [type, cause && `< ${types.get(cause)}`, maker && `by ${maker.slice(0, 4)} ${step}`]
      .filter(Boolean)
      .join(" "),
  );
}

const TICKET = {
  id: "report",
  type: "ticket",
  config: { operation: "create", kind: "incident", fields: { title: "Broken", description: "" } },
};
const PUBLISH = {
  id: "tell",
  type: "publish_event",
  config: { topic: "made", type: "thing.made", payload: {} },
};

test("effects of a manual run name the run and step, and are caused by the start of the run", async () => {
  const id = await deployWorkflow(owner, [
    PUBLISH,
    TICKET,
    {
      id: "each",
      type: "loop",
      config: { items: "{{ [1, 2] }}", body: { nodes: [{ ...PUBLISH, id: "again" }], edges: [] } },
    },
  ]);
  const run = await runWorkflow(owner, id);
  expect(run.status).toBe("completed");
  const cause = "< workflow.run_started";
  expect(await readChain(run.correlationId)).toEqual([
    "workflow.run_started",
    `thing.made ${cause} by run_ tell`,
    `incident.created ${cause} by run_ report`,
    `thing.made ${cause} by run_ each[0].again`,
    `thing.made ${cause} by run_ each[1].again`,
    `workflow.run_completed ${cause}`,
  ]);
  const audit = await owner("GET /api/v1/audit?type=incident.created");
  expect(audit.body.data[0]).toMatchObject({ runId: run.id, stepId: "report" });
  const own = await owner(`GET /api/v1/audit?resourceId=${run.id}`);
  expect(own.body.data.some((event: any) => "runId" in event)).toBe(false);
});

test("a run loaded from the database has the same cause", async () => {
  const DELAY = { id: "sleep", type: "delay", config: { ms: 60_000 } };
  const id = await deployWorkflow(owner, [DELAY, PUBLISH]);
  const { body } = await trigger(owner, id);
  await waitForRun(owner, body.data.runId, ["waiting"]);
  world.clock.advance(61_000);
  const run = await waitForRun(owner, body.data.runId);
  expect(await readChain(run.correlationId)).toEqual([
    "workflow.run_started",
    "thing.made < workflow.run_started by run_ tell",
    "workflow.run_completed < workflow.run_started",
  ]);
});

test("a run started by an event has the event as the cause, and so do its effects", async () => {
  const start = { type: "event_bus", topic: "orders" };
  await deployWorkflow(owner, [PUBLISH], { trigger: start });
  const eventId = await publish(owner, "orders", { type: "order.placed" });
  const { correlationId } = (await owner(`GET /api/v1/audit/${eventId}`)).body.data;
  const expected = [
    "order.placed",
    "workflow.run_started < order.placed",
    "thing.made < order.placed by run_ tell",
    "workflow.run_completed < order.placed",
  ];
  expect(
    await until(async () => {
      const chain = await readChain(correlationId);
      return chain.length === expected.length && chain;
    }),
  ).toEqual(expected);
});

test("the start event of a subworkflow names the step, whose trace names the run", async () => {
  const SET = { id: "keep", type: "set", config: { values: { kept: 1 } } };
  const quick = await deployWorkflow(owner, [SET]);
  const slow = await deployWorkflow(owner, [PUBLISH]);
  const failing = await deployWorkflow(owner, [
    { id: "no", type: "fail", config: { message: "No." } },
  ]);
  const call = (step: string, workflowId: string, more = {}) => ({
    id: step,
    type: "subworkflow",
    config: { workflowId, input: null },
    ...more,
  });
  const id = await deployWorkflow(owner, [
    call("quick", quick),
    call("slow", slow),
    call("failing", failing, { onError: "continue" }),
  ]);
  const run = await runWorkflow(owner, id);
  const cause = "< workflow.run_started";
  expect(await readChain(run.correlationId)).toEqual([
    "workflow.run_started",
    `workflow.run_started ${cause} by run_ quick`,
    `workflow.run_completed ${cause}`,
    `workflow.run_started ${cause} by run_ slow`,
    `thing.made ${cause} by run_ tell`,
    `workflow.run_completed ${cause}`,
    `workflow.run_started ${cause} by run_ failing`,
    `workflow.run_failed ${cause}`,
    `workflow.run_completed ${cause}`,
  ]);
  const children = await world.sql(
    "select id, parent_path, workflow_id from runs where parent_run_id = $1",
    [run.id],
  );
  const steps = stepsOf(run);
  expect(children).toHaveLength(3);
  for (const child of children) expect(steps[child.parent_path].childRunId).toBe(child.id);
});

test("effects of a script outside of runs name its execution", async () => {
  const { body } = await owner("POST /api/v1/sdk/artifacts", {
    name: "tell",
    artifactType: "workflow_node",
    detail: {
      scriptSource:
        'await context.events.publish("told", { type: "it.told", payload: {} }); return {};',
    },
  });
  const path = `/api/v1/sdk/artifacts/${body.data.id}`;
  const executed = await owner(`POST ${path}/execute`, { inputPayload: {}, triggerType: "manual" });
  expect(executed.status).toBe(200);
  const executions = await owner(`GET ${path}/executions`);
  const told = await owner("GET /api/v1/audit?type=it.told");
  expect(told.body.data[0]).toMatchObject({ executionId: executions.body.data[0].id });
});

test("an execution appears in the trace with its effects and its event, below the step that requested it", async () => {
  const script = async (name: string, scriptSource: string) => {
    const { body } = await owner("POST /api/v1/sdk/artifacts", {
      name,
      artifactType: "workflow_node",
      detail: { scriptSource },
    });
    return body.data.id as string;
  };
  const inner = await script(
    "inner",
    'await context.events.publish("nested", { type: "it.nested", payload: {} }); return {};',
  );
  const path = `/api/v1/sdk/artifacts/${inner}`;
  await owner(`POST ${path}/execute`, { inputPayload: {} });
  const [{ id: executionId }] = (await owner(`GET ${path}/executions`)).body.data;
  const trace = async (of: string) => {
    const { nodes } = (await owner(`GET /api/v1/trace?of=${of}`)).body.data;
    const types = new Map(nodes.map((node: any) => [node.id, node.type]));
    return nodes.map((node: any) => [node.type, types.get(node.parentId) ?? null]);
  };
  const expected = [
    ["execution", null],
    ["it.nested", "execution"],
    ["artifact.executed", "execution"],
  ];
  expect(await trace(executionId)).toEqual(expected);
  const { body } = await owner(`GET /api/v1/audit?type=artifact.executed&resourceId=${inner}`);
  expect(body.data).toMatchObject([{ executionId }]);
  expect(await trace(body.data[0].id)).toEqual(expected);
});

test("effects of a job name the job, and are caused by the event that enqueued it", async () => {
  const WAIT = { id: "sleep", type: "delay", config: { ms: 3_600_000 } };
  const id = await deployWorkflow(owner, [WAIT]);
  const runIds: string[] = [];
  for (let n = 0; n < 2; n += 1) runIds.push((await trigger(owner, id)).body.data.runId);
  for (const runId of runIds) await waitForRun(owner, runId, ["waiting"]);
  const { status, events } = await owner("POST /api/v1/runs/cancel", {
    filter: { workflowId: id },
  });
  expect([status, events]).toEqual([202, ["workflow.bulk_cancel_requested"]]);
  for (const runId of runIds) await waitForRun(owner, runId, ["cancelled"]);
  const audit = async (type: string) => (await owner(`GET /api/v1/audit?type=${type}`)).body.data;
  const [cause] = await audit("workflow.bulk_cancel_requested");
  const cancelled = await audit("workflow.run_cancelled");
  expect(cancelled).toHaveLength(2);
  for (const event of cancelled) {
    expect(event).toMatchObject({
      causationId: cause.id,
      correlationId: cause.correlationId,
      jobKind: "runs.cancel",
    });
  }
});
