/** Form steps: shown to everyone with the address or to the sender of the previous form, and submitted once. */
import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  stepsOf,
  trigger,
  waitForRun,
} from "../testing/workflows.ts";
import { makeFormPath } from "./resume-address.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const { stranger } = world;

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const toBody = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const send = (path: string, fields: Record<string, string>) =>
  stranger(`POST ${path}`, toBody(fields), FORM);

const first = {
  type: "form",
  title: "Order",
  pages: [{ fields: [{ name: "who", required: true }] }],
};
const pages = [{ fields: [{ name: "size", type: "choice", options: ["S", "L"], required: true }] }];
const ask = (config: object = {}, id = "ask") => ({
  id,
  type: "wait_for_form",
  config: { title: "Which size, {{ trigger.input.who }}?", pages, ...config },
});
const hold = { id: "hold", type: "approval", config: { approvers: ["owner"] } };
const answer = {
  id: "answer",
  type: "respond",
  config: { body: "{{ trigger.input.who }} gets {{ steps.ask.output.answers.size }}" },
};

/** Deploys a workflow with a form trigger and returns the path of the form page. */
async function deployForm(nodes: readonly object[], more: object = {}) {
  const id = await deployWorkflow(owner, nodes, { trigger: { ...first, ...more } });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  return { id, path: new URL(data.trigger.url).pathname };
}

const latestRun = async (id: string): Promise<string> =>
  (await owner(`GET /api/v1/workflows/${id}/runs`)).body.data[0].id;

/** Starts a run with a form step. Returns the run and the form path. */
async function startAsked(config: object = {}, after: readonly object[] = [], more: object = {}) {
  const tell = { id: "tell", type: "respond", config: { body: "{{ run.resumeUrl }}" } };
  const nodes = [tell, ask({ title: "Which size?", ...config }), ...after];
  const id = await deployWorkflow(owner, nodes, { trigger: { type: "webhook" }, ...more });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const told = await stranger(`POST ${new URL(data.trigger.url).pathname}`, {});
  const runId = await latestRun(id);
  await waitForRun(owner, runId, ["waiting"]);
  return { runId, path: new URL(String(told.body)).pathname };
}

test("the sender of a form gets the next form, and reads the response of the run", async () => {
  const pause = { id: "pause", type: "delay", config: { ms: 1 } };
  const further = { ...pause, id: "further" };
  const sure = ask({ title: "Sure?", shownTo: "sender" }, "sure");
  const { id, path } = await deployForm([pause, ask({ shownTo: "sender" }), further, sure, answer]);
  const started = await send(path, { $page: "0", who: "<Ann>" });
  expect(started.status).toBe(303);
  const next = String(started.headers["location"]);
  expect(next).toMatch(/^\/resume\/run_\w+\/[\w-]+\.[\w-]+\/form$/);
  const shown = await stranger(`GET ${next}`);
  expect([shown.status, shown.events]).toEqual([200, []]);
  expect(shown.body).toContain("Which size, &#60;Ann&#62;?");
  expect(shown.headers["content-security-policy"]).toContain("default-src 'none'");
  const wrong = await send(next, { $page: "0", size: "XXL" });
  expect([wrong.status, wrong.events]).toEqual([422, []]);
  expect(wrong.body).toContain("Choose one of the options.");
  const sent = await send(next, { $page: "0", size: "L" });
  expect(sent.status).toBe(303);
  const last = await send(String(sent.headers["location"]), { $page: "0", size: "S" });
  expect(last.status).toBe(200);
  expect(last.body).toContain("&#60;Ann&#62; gets L");
  const runId = await latestRun(id);
  const { status, ...run } = await waitForRun(owner, runId);
  expect(status).toBe("completed");
  expect(stepsOf(run as never)["ask"]).toMatchObject({
    branch: "sent",
    output: { answers: { size: "L" }, submittedAt: expect.any(String) },
  });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_called",
    "workflow.run_called",
    "workflow.run_completed",
  ]);
});
test("a page shows the response as soon as it exists, while the run continues", async () => {
  // A page does not wait this long.
  const last = { id: "last", type: "delay", config: { ms: 25_000 } };
  const yes = ask({ title: "Which?", shownTo: "sender" });
  const never = ask({ title: "Never?", shownTo: "sender" }, "never");
  const isLarge = { expression: 'trigger.input.who = "Bob"' };
  const choose = { id: "choose", type: "condition", config: isLarge };
  const edges = [
    { from: "ask", to: "choose" },
    { from: "choose", to: "never", when: "true" },
    { from: "choose", to: "answer", when: "false" },
    { from: "answer", to: "last" },
  ];
  const trigger = first;
  const led = await deployWorkflow(owner, [yes, choose, never, answer, last], { trigger, edges });
  const { data } = (await owner(`GET /api/v1/workflows/${led}`)).body;
  const { headers } = await send(new URL(data.trigger.url).pathname, { $page: "0", who: "Ann" });
  const sent = await send(String(headers["location"]), { $page: "0", size: "L" });
  expect([sent.status, sent.body]).toEqual([200, expect.stringContaining("Ann gets L")]);
  // Runs of a form without further forms, and of a webhook.
  const pause = { id: "pause", type: "delay", config: { ms: 1 } };
  const say = { id: "say", type: "respond", config: { body: "Said." } };
  const { id, path } = await deployForm([pause, say, last]);
  expect((await send(path, { $page: "0", who: "Ann" })).body).toContain("Said.");
  const hook = await deployWorkflow(owner, [pause, say, last], { trigger: { type: "webhook" } });
  const { url } = (await owner(`GET /api/v1/workflows/${hook}`)).body.data.trigger;
  expect((await stranger(`POST ${new URL(url).pathname}`, {})).body).toBe("Said.");
  for (const one of [led, id, hook]) {
    const runId = await latestRun(one);
    const { body } = await owner(`GET /api/v1/runs/${runId}`);
    expect(body.data.status).not.toBe("completed");
    await owner(`POST /api/v1/runs/${runId}/cancel`);
  }
});

test("the sender of a form sees that the run failed", async () => {
  const stop = { id: "stop", type: "fail", config: { message: "No." } };
  const { path } = await deployForm([ask({ shownTo: "sender" }), stop]);
  const { headers } = await send(path, { $page: "0", who: "Ann" });
  const sent = await send(String(headers["location"]), { $page: "0", size: "L" });
  expect(sent.status).toBe(500);
  expect(sent.body).toContain("The workflow failed before it returned a response.");
  expect((await stranger(`GET ${headers["location"]}`)).status).toBe(500);
});

test("a form for recipients of its address shows a thank-you page, and redirects nowhere", async () => {
  const { id, path } = await deployForm([ask(), answer], { respond: "at_once" });
  const started = await stranger(`POST ${path}`, toBody({ $page: "0", who: "Ann" }), FORM);
  expect([started.status, started.headers["location"]]).toEqual([200, undefined]);
  expect(started.body).not.toContain("Which size");
  await owner(`POST /api/v1/runs/${await latestRun(id)}/cancel`);

  const asked = await startAsked({ thanks: "Noted." });
  const trace = (await owner(`GET /api/v1/runs/${asked.runId}`)).body.data;
  expect(stepsOf(trace)["ask"]).toMatchObject({
    status: "waiting",
    wait: { kind: "form", message: "Which size?" },
  });
  // A reader of the trace must not be able to submit the form.
  expect(JSON.stringify(trace)).not.toContain(asked.path.split("/").at(-2));
  const sent = await send(asked.path, { $page: "0", size: "S" });
  expect([sent.status, sent.events]).toEqual([200, ["workflow.run_called"]]);
  expect(sent.body).toContain("Noted.");
  expect((await waitForRun(owner, asked.runId)).status).toBe("completed");
});

test("a form is submitted once; forged, foreign, late and early addresses get specific errors", async () => {
  const { runId, path } = await startAsked({}, [hold]);
  const [one, two] = await Promise.all([
    send(path, { $page: "0", size: "S" }),
    send(path, { $page: "0", size: "L" }),
  ]);
  expect([one.status, two.status].toSorted()).toEqual([200, 409]);
  expect((await stranger(`GET ${path}`)).status).toBe(409);
  expect((await stranger(`POST ${path.replace(/\/form$/, "")}`, {})).status).toBe(404);
  const forged = path.replace(/.{4}\/form$/, "AAAA/form");
  expect((await stranger(`GET ${forged}`)).status).toBe(404);
  await owner(`POST /api/v1/runs/${runId}/cancel`);
  expect((await stranger(`GET ${path}`)).status).toBe(410);
  const late = await send(path, { $page: "0", size: "S" });
  expect([late.status, late.events]).toEqual([410, []]);

  const early = await deployWorkflow(
    owner,
    [
      { id: "tell", type: "respond", config: { body: "{{ run.resumeUrl }}" } },
      hold,
      ask({ title: "Which?" }),
    ],
    { trigger: { type: "webhook" } },
  );
  const { data } = (await owner(`GET /api/v1/workflows/${early}`)).body;
  const told = await stranger(`POST ${new URL(data.trigger.url).pathname}`, {});
  const before = new URL(String(told.body)).pathname;
  const page = await stranger(`GET ${before}`);
  expect([page.status, page.headers["refresh"]]).toEqual([200, "3"]);
  expect((await send(before, { $page: "0", size: "S" })).status).toBe(404);
});

test("after the timeout the timeout branch runs", async () => {
  const nodes = [
    ask({ title: "Which?", timeoutMs: 1 }),
    { id: "late", type: "transform", config: { expression: "steps.ask.output.timedOut" } },
  ];
  const edges = [{ from: "ask", to: "late", when: "timeout" }];
  const id = await deployWorkflow(owner, nodes, { edges });
  const { body } = await trigger(owner, id);
  const run = await waitForRun(owner, body.data.runId);
  expect([run.status, run.output]).toEqual(["completed", true]);
});

test("fields from templates are checked once their values exist", async () => {
  const options = "{{ trigger.input.sizes }}";
  const field = { name: "size", type: "choice", options };
  const nodes = [ask({ title: "Which?", pages: [{ fields: [field] }] })];
  const id = await deployWorkflow(owner, nodes);
  const started = await trigger(owner, id, { sizes: ["XS"] });
  const waiting = await waitForRun(owner, started.body.data.runId, ["waiting"]);
  expect(stepsOf(waiting)["ask"].input.pages[0].fields[0].options).toEqual(["XS"]);
  const wrong = await trigger(owner, id, { sizes: 3 });
  const failed = await waitForRun(owner, wrong.body.data.runId);
  expect([failed.status, stepsOf(failed)["ask"].error.code]).toEqual(["failed", "invalid_config"]);

  const twice = { fields: [{ name: "a" }, { name: "a" }] };
  await owner("POST /api/v1/secrets", { name: "PAGE_KEY", value: "hidden-value-1" });
  const saved = await owner("POST /api/v1/workflows", {
    name: "Wrong",
    trigger: { type: "manual" },
    nodes: [
      ask({ title: "A", pages: [twice], accent: "#ffffff" }),
      ask({ title: "{{secrets.PAGE_KEY}}" }, "other"),
    ],
    edges: [],
  });
  expect(saved.status).toBe(422);
  expect(saved.body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/nodes/0/config/accent",
    "/nodes/0/config/pages/0/fields/1/name",
    "/nodes/1/config/title",
  ]);
});

test("files of a submitted form belong to the run; files of a rejected page are released", async () => {
  const withFile = [{ fields: [{ name: "bill", type: "file", required: true }, { name: "note" }] }];
  const { runId, path } = await startAsked({ pages: withFile });
  const upload = (parts: Readonly<Record<string, string>>) => {
    const lines = Object.entries(parts).flatMap(([name, value]) => [
      "--x",
      `Content-Disposition: form-data; name="${name}`,
      "",
      value,
    ]);
    return stranger(`POST ${path}`, [...lines, "--x--", ""].join("\r\n"), {
      "content-type": "multipart/form-data; boundary=x",
    });
  };
  expect((await upload({ '$page"': "0", 'note"': "n" })).status).toBe(422);
  const forged = await upload({ '$page"': "0", 'bill"': '{"$file":"file_x"}' });
  expect(forged.status).toBe(422);
  const sent = await upload({ '$page"': "0", 'bill"; filename="bill.txt"': "total 12" });
  expect([sent.status, sent.events]).toEqual([200, ["workflow.run_called"]]);
  const run = await waitForRun(owner, runId);
  const { bill } = stepsOf(run)["ask"].output.answers;
  expect(bill).toMatchObject({ $file: expect.any(String), name: "bill.txt", size: 8 });
  const read = await owner(`GET /api/v1/files/${bill.$file}/content`);
  expect(String(read.body)).toBe("total 12");
  await until(async () => {
    const [{ count }] = await world.sql(
      "select count(*)::int as count from files where attached_type = 'run'",
    );
    return count === 1;
  });
});

test("accepts exactly one of several concurrent submissions and releases files of rejected submissions", async () => {
  const pages = [{ fields: [{ name: "bill", type: "file", required: true }] }];
  const { path } = await startAsked({ pages }, [hold]);
  const lines = [
    "--x",
    'Content-Disposition: form-data; name="bill"; filename="bill.txt"',
    "",
    "total",
    "--x--",
  ];
  const upload = () =>
    stranger(`POST ${path}`, [...lines, ""].join("\r\n"), {
      "content-type": "multipart/form-data; boundary=x",
    });
  const sent = await Promise.all([upload(), upload(), upload(), upload()]);
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  expect(await world.sql("select id from blobs where state = 'pending'")).toEqual([]);
});

test("a person asked on another branch does not read the response for the person who started the run", async () => {
  const other = ask({ title: "Which, Bob?" }, "bob");
  const more = ask({ title: "And, Bob?", shownTo: "sender" }, "more");
  const tell = { id: "tell", type: "respond", config: { body: "for Ann alone" } };
  const nodes = [other, more, hold, ask({ shownTo: "sender" }), tell];
  const edges = [
    { from: "bob", to: "more" },
    { from: "more", to: "hold" },
    { from: "ask", to: "tell" },
  ];
  const id = await deployWorkflow(owner, nodes, { trigger: first, edges });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const begun = await send(new URL(data.trigger.url).pathname, { $page: "0", who: "Ann" });
  const ofAnn = String(begun.headers["location"]);
  const runId = await latestRun(id);
  const ofBob = makeFormPath(world.kernel, runId, "bob");
  const led = String((await send(ofBob, { $page: "0", size: "S" })).headers["location"]);
  expect((await stranger(`GET ${led}`)).body).toContain("And, Bob?");
  const both = Promise.all([
    send(led, { $page: "0", size: "S" }),
    send(ofAnn, { $page: "0", size: "L" }),
  ]);
  await until(async () => {
    const steps = stepsOf((await owner(`GET /api/v1/runs/${runId}`)).body.data);
    return steps["hold"]?.status === "paused" && steps["tell"]?.status === "completed";
  });
  await owner(`POST /api/v1/runs/${runId}/cancel`);
  const [bob, ann] = await both;
  expect(bob.body).not.toContain("for Ann alone");
  expect(ann.body).toContain("for Ann alone");
});

test("a form that exceeds the size limit after its templates are evaluated fails its step", async () => {
  const options = "{{ trigger.input.sizes }}";
  const fields = Array.from({ length: 40 }, (_, at) => ({
    name: `f${at}`,
    type: "choice",
    options,
  }));
  const id = await deployWorkflow(owner, [ask({ title: "Which?", pages: [{ fields }] })]);
  const sizes = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(200, "x"));
  const { body } = await trigger(owner, id, { sizes });
  const run = await waitForRun(owner, body.data.runId);
  expect([run.status, stepsOf(run)["ask"].error.code]).toEqual(["failed", "form_too_large"]);
});
