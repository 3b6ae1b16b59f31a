import { expect, test } from "vitest";
import { deployEventWorkflow, publish, waitUntilIdle } from "#domains/runs/testing/triggers.ts";
import { createToken, deployWorkflow, runWorkflow } from "#domains/runs/testing/workflows.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

const ask = async (of: string, open: readonly string[] = [], by: Ask = owner) => {
  const opened = open.length > 0 ? `&open=${open.join(",")}` : "";
  return by(`GET /api/v1/trace?of=${of}${opened}`);
};

const trace = async (of: string, open: readonly string[] = []) => (await ask(of, open)).body.data;

/** The trace with every fan expanded. */
async function unfold(of: string): Promise<any> {
  let open: string[] = [];
  for (;;) {
    const tree = await trace(of, open);
    const closed = tree.nodes.filter((node: any) => node.fan && !node.fan.open);
    if (closed.length === 0) return tree;
    open = [...open, ...closed.map(({ id }: any) => id)];
  }
}

/** The tree as lines, indented by depth, with fans as `type ×count`. */
function draw({ nodes }: any): string[] {
  const depths = new Map<string | null, number>([[null, -1]]);
  return nodes.map((node: any) => {
    const depth = (depths.get(node.parentId) ?? NaN) + 1;
    depths.set(node.id, depth);
    const count = node.fan ? ` ×${node.fan.count}` : "";
    const step = node.stepId === undefined ? "" : ` @${node.stepId}`;
    return `${"  ".repeat(depth)}${node.type}${count}${step}${node.focus ? " !" : ""}`;
  });
}

const publishNode = (id: string, topic: string) => ({
  id,
  type: "publish_event",
  config: { topic, type: `${topic}.made`, payload: {} },
});
const TICKET = {
  id: "report",
  type: "ticket",
  config: { operation: "create", kind: "incident", fields: { title: "Broken", description: "" } },
};

test("shows the effects of a run, and the run that changed a ticket", async () => {
  const id = await deployWorkflow(owner, [TICKET, publishNode("tell", "told")]);
  const run = await runWorkflow(owner, id);
  const lines = [
    "run !",
    "  workflow.run_started",
    "  incident.created @report",
    "  told.made @tell",
    "  workflow.run_completed",
  ];
  const tree = await trace(run.id);
  // SLA clocks and notifications have no fixed order.
  const ofRun = (drawn: any) => draw(drawn).filter((one) => !/sla|notification/.test(one));
  expect(ofRun(tree)).toEqual(lines);
  expect(tree).toMatchObject({
    of: { kind: "run", id: run.id },
    rootIds: [run.id],
    focusIds: [run.id],
    truncated: false,
  });
  const { number } = tree.nodes.find(({ type }: any) => type === "incident.created").resource;
  const ofTicket = lines.map((one) => one.replace(" !", "").replace("@report", "@report !"));
  expect(ofRun(await trace(number))).toEqual(ofTicket);
});

test("folds many of a kind with their effects into a fan that can be expanded and never hides the focus", async () => {
  await deployEventWorkflow(owner, { topic: "part" }, [publishNode("tell", "done")]);
  const body = { nodes: [publishNode("each", "part")], edges: [] };
  const items = "{{ [1, 2, 3, 4, 5, 6] }}";
  const id = await deployWorkflow(owner, [{ id: "all", type: "loop", config: { items, body } }]);
  const run = await runWorkflow(owner, id);
  await until(async () => (await trace(run.id)).counts.event === 2 + 6 * 4);
  const tree = await trace(run.id);
  expect(draw(tree)).toEqual([
    "run !",
    "  workflow.run_started",
    "  part.made ×6",
    "    run ×6",
    "      workflow.run_started ×6",
    "      done.made ×6",
    "      workflow.run_completed ×6",
    "  workflow.run_completed",
  ]);
  const fan = tree.nodes.find(({ type, kind }: any) => type === "run" && kind === "fan");
  expect(fan.fan).toMatchObject({ kind: "run", count: 6, statuses: { completed: 6 }, open: false });
  expect(fan.fan.sample).toHaveLength(3);
  expect(tree.counts).toEqual({ event: 26, run: 7 });
  const opened = await trace(run.id, [fan.id]);
  expect(draw(opened).filter((one) => one.startsWith("      run"))).toHaveLength(6);
  const ofMember = draw(await trace(fan.fan.sample[1].id));
  expect(ofMember).toContain("    run !");
  expect(ofMember).toContain("    run ×5");
});

/** A small reproducible random number generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
}

/** Workflows that start each other by events and as subworkflows. Returns the topic of the first one. */
async function deployScenario(seed: number): Promise<string> {
  const next = numbers(seed);
  const layers = 3;
  const topics = Array.from({ length: layers }, (_, layer) => `s${seed}.layer${layer}`);
  const inner = await deployWorkflow(owner, [publishNode("inner", `s${seed}.inner`)]);
  for (const [layer, topic] of topics.entries()) {
    for (let n = 0; n <= next(2); n += 1) {
      const after = topics[layer + 1];
      const told = after ?? `s${seed}.end`;
      const count = 1 + next(6);
      const nodes: object[] = [
        {
          id: "each",
          type: "loop",
          config: {
            items: `{{ [1..${count}] }}`,
            body: { nodes: [publishNode("tell", told)], edges: [] },
          },
        },
      ];
      if (next(2) === 0)
        nodes.push({ id: "sub", type: "subworkflow", config: { workflowId: inner, input: null } });
      if (next(3) === 0) nodes.push(TICKET);
      await deployEventWorkflow(owner, { topic }, nodes);
    }
  }
  return topics[0] ?? "";
}

/** Scenarios of few runs that have subworkflows, tickets and fans. */
const FEW_RUNS = [28, 37];

test("a trace from any node contains each event and run of a correlation once", async () => {
  for (const seed of IS_THOROUGH ? [1, 2, 3] : FEW_RUNS) {
    const topic = await deployScenario(seed);
    const eventId = await publish(owner, topic, { type: "begin" });
    const [{ correlation_id: correlationId }] = await world.sql(
      "select correlation_id from events where type = 'begin' order by epoch desc, xid desc, seq desc limit 1",
    );
    await waitUntilIdle(world);
    await until(async () => {
      const open =
        "select count(*)::int as n from runs where correlation_id = $1 and finished_at is null";
      return (await world.sql(open, [correlationId]))[0].n === 0;
    });
    await waitUntilIdle(world);
    const runs = await world.sql("select id from runs where correlation_id = $1", [correlationId]);
    const [{ n }] = await world.sql(
      "select count(*)::int as n from events where correlation_id = $1",
      [correlationId],
    );
    const anyRun = runs[seed % runs.length].id;
    const whole = await unfold(eventId);
    const things = whole.nodes.filter(({ kind }: any) => kind !== "fan");
    const ids = things.map(({ id }: any) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(whole.counts).toEqual({ event: n, run: runs.length });
    expect(ids).toHaveLength(n + runs.length);
    expect(whole.rootIds).toEqual([eventId]);
    const known = new Set<string | null>([null]);
    for (const { id, parentId } of whole.nodes) {
      expect(known.has(parentId)).toBe(true);
      known.add(id);
    }
    for (const focus of [anyRun, ids.at(-1), ids[Math.floor(ids.length / 2)]]) {
      const other = await unfold(focus);
      const otherIds = other.nodes
        .filter(({ kind }: any) => kind !== "fan")
        .map(({ id }: any) => id);
      expect(otherIds.toSorted()).toEqual(ids.toSorted());
      const folded = await trace(focus);
      const closed = folded.nodes.filter(({ fan }: any) => fan);
      const total = closed.reduce((sum: number, { fan }: any) => sum + fan.count, 0);
      expect(folded.nodes.length - closed.length + total).toBe(ids.length);
      expect(folded.nodes.filter((node: any) => node.focus).map(({ id }: any) => id)).toEqual([
        focus,
      ]);
    }
  }
});

test("users without run access see only events, and non-members see no data", async () => {
  const id = await deployWorkflow(owner, [TICKET]);
  const run = await runWorkflow(owner, id);
  const tree = await trace(run.id);
  const made = tree.nodes.find(({ type }: any) => type === "incident.created");
  const agent = await world.member(["agent"]);
  const seen = await ask(made.id, [], agent);
  expect(seen.status).toBe(200);
  const kinds = new Set(seen.body.data.nodes.map(({ kind }: any) => kind));
  const may = (await agent("GET /api/v1/auth/me")).body.data.permissions ?? [];
  expect(kinds.has("run")).toBe(may.includes("workflows:read"));
  expect((await ask("run_01jd0000000000000000000000")).status).toBe(404);
  expect((await ask("INC9999999")).status).toBe(404);
  expect((await ask("evt_0000000000000000000000")).status).toBe(404);
});

test("traces and summaries contain only what the caller can read", async () => {
  const { body: table } = await owner("POST /api/v1/tables", {
    name: "Salaries",
    slug: "salaries",
    columns: [{ name: "title", type: "text" }],
    rules: [{ roles: ["owner"], actions: ["read", "create"] }],
  });
  expect(table.data.slug).toBe("salaries");
  const fields = { title: "Ada earns a lot" };
  const id = await deployWorkflow(owner, [
    {
      id: "keep",
      type: "records",
      config: { operation: "create", table: "salaries", data: fields },
    },
    TICKET,
  ]);
  const run = await runWorkflow(owner, id);
  expect(run.status).toBe("completed");
  const made = (await trace(run.id)).nodes.find(({ type }: any) => type === "incident.created");
  const recorded = (await trace(run.id)).nodes.find(({ type }: any) => type === "record.created");
  const elsewhere = await world.member(["owner"], await world.workspace("trace-elsewhere"));
  const left = await world.member(["agent"]);
  expect((await owner(`DELETE /api/v1/settings/users/${left.userId}`)).status).toBe(204);
  const events = await createToken(world, owner, ["events:read"]);
  const requester = await world.member(["requester"]);
  for (const [by, statuses] of [
    [elsewhere, [404, 404, 404, 404]],
    [left, [401, 401, 401, 401]],
    [requester, [403, 403, 403, 403]],
    [world.stranger, [401, 401, 401, 401]],
    [events, [200, 200, 403, 403]],
  ] as const) {
    const answers = [
      await ask(run.id, [], by),
      await ask(made.id, [], by),
      await by(`GET /api/v1/runs/${run.id}/summary`),
      await by(`GET /api/v1/runs/${run.id}/steps`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const nodes = answers.flatMap(({ body }) => body?.data?.nodes ?? []);
    expect(nodes.filter(({ kind }) => kind === "run")).toEqual([]);
  }
  const viewer = await world.member(["viewer"]);
  expect((await ask(recorded.id, [], viewer)).status).toBe(404);
  const seen = await ask(made.id, [], viewer);
  expect(seen.status).toBe(200);
  expect(JSON.stringify(seen.body)).not.toContain("Ada earns");
  expect(seen.body.data.nodes.map(({ type }: any) => type)).not.toContain("record.created");
  // A token with access to the log only must not see runs.
  const auditor = await createToken(world, owner, ["audit:read"]);
  const { body } = await auditor(`GET /api/v1/events/${made.id}/trace`);
  expect(body.data.events.map((one: any) => one.id)).toContain(made.id);
  expect(body.data.effects).toEqual([]);
});

test("quickly traces a script with thousands of effects", async () => {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "One of many" });
  const columns = await world.sql(
    "select column_name as name from information_schema.columns where table_name = 'events' and table_schema = 'public'",
  );
  const same = columns
    .map(({ name }) => name)
    .filter((name) => name !== "seq" && name !== "made_by");
  await world.sql(
    `insert into events (${same.join()}, seq, made_by) overriding system value
     select ${same.map((name) => `e.${name}`).join()}, e.seq + 1000000 + n, 'exe_01jd0000000000000000000000'
       from generate_series(1, 5000) n, (select * from events where resource_id = $1 limit 1) e`,
    [body.data.id],
  );
  const trace = await owner(`GET /api/v1/trace?of=${body.data.id}`);
  expect(trace).toMatchObject({ status: 200, body: { data: { counts: { event: 5001 } } } });
});
