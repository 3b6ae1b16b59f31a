import { expect, test } from "vitest";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { describeInBrowser, leaveSeat, takeSeat } from "#kernel/testing/browser.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { useModelService } from "./testing/model-service.ts";
import { slowModel } from "./testing/slow-model.ts";
import { followChat, shownOf } from "./testing/chat-follower.ts";

const service = await useModelService();
const world = await useWorld({ env: service.upstream.env, work: true });
const owner = await world.member(["owner"]);
const { stranger } = world;
const origin = await world.app.listen({ port: 0, host: "127.0.0.1" });
const { id: connectorId } = await createConnector(
  owner,
  "openai",
  { baseUrl: `${service.upstream.url}/v1` },
  { kind: "none" },
);
const model = { connectorId, model: "gpt-4.1-mini" };
const llm = {
  id: "ask",
  type: "llm",
  retry: { maxAttempts: 2, backoffMs: 1 },
  config: { ...model, prompt: "{{ trigger.input.message }}" },
};

async function deploy(nodes: readonly object[], chat: object = {}): Promise<string> {
  const id = await deployWorkflow(owner, nodes, {
    trigger: { type: "chat", title: "Helper", ...chat },
  });
  const { url } = (await owner(`GET /api/v1/workflows/${id}`)).body.data.trigger;
  return new URL(url).pathname;
}

async function ask(path: string, message = "Hi"): Promise<{ runId: string; sessionId: string }> {
  const asked = await stranger(`POST ${path}/messages`, { message });
  expect([asked.status, asked.events, asked.body.data.text]).toEqual([
    202,
    ["workflow.run_started"],
    null,
  ]);
  return asked.body.data;
}

test("streams text while the model writes it, continues after a disconnect, and only for its visitor", async () => {
  const path = await deploy([llm]);
  const slow = slowModel();
  service.say(slow.answer);
  const { runId, sessionId } = await ask(path);
  await slow.asked();
  const address = `${origin}${path}/messages/${runId}`;
  const first = await followChat(address, sessionId);
  slow.say("Once upon");
  await until(async () => shownOf(first.frames) === "Once upon");
  await first.cut();
  slow.say(" a time, a \u0000mill");
  const lastId = first.frames.findLast(({ id }) => id)?.id;
  const second = await followChat(address, sessionId, lastId);
  await until(async () => shownOf(second.frames, "Once upon").endsWith("mill"));
  // Nothing was lost, and nothing came twice.
  expect(second.frames.map(({ data }) => data.from)[0]).toBe("Once upon".length);
  expect(shownOf(second.frames, "Once upon")).toBe("Once upon a time, a \uFFFDmill");

  const other = (await stranger(`POST ${path}/messages`, { message: "Me too" })).body.data;
  expect((await followChat(address, other.sessionId)).status).toBe(404);
  const forged = `${sessionId.slice(0, -1)}${sessionId.endsWith("-") ? "_" : "-"}`;
  expect((await followChat(address, forged)).status).toBe(404);
  const { pathname } = new URL(address);
  expect((await stranger(`GET ${pathname}`)).status).toBe(422);

  slow.say(" stood.");
  slow.end();
  await second.ended;
  expect(second.frames.at(-1)).toMatchObject({
    event: "answer",
    data: { text: expect.stringContaining("stood.") },
  });
  const late = await followChat(address, sessionId, "1.x");
  await late.ended;
  expect(late.frames.at(-1)).toEqual(second.frames.at(-1));
  // Not one by one: neither in the log nor in the journal.
  const events = await world.sql("select type from events where resource_id = $1", [runId]);
  expect(events.map(({ type }) => type)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("if a model breaks off, the answer restarts and replaces the partial text", async () => {
  const path = await deploy([llm], { stream: "ask" });
  const slow = slowModel();
  service.say(slow.answer, slow.answer);
  const { runId, sessionId } = await ask(path);
  await slow.asked();
  const follower = await followChat(`${origin}${path}/messages/${runId}`, sessionId);
  slow.say("The wrong beginning");
  await until(async () => shownOf(follower.frames) === "The wrong beginning");
  slow.breakOff();
  await slow.asked();
  slow.say("Right");
  await until(async () => shownOf(follower.frames) === "Right");
  slow.end();
  await follower.ended;
  const [answer] = follower.frames.filter(({ event }) => event === "answer");
  expect(answer?.data).toEqual({ text: "Right" });
});

test("shows turns of an agent, but no text that the workflow may still change or withhold", async () => {
  const agent = { id: "bot", type: "agent", config: { ...model, prompt: "Hi" } };
  const check = {
    id: "check",
    type: "set",
    config: { values: { text: "{{ $uppercase(steps.ask.output.text) }}" } },
  };
  const respond = (body: unknown) => ({ id: "say", type: "respond", config: { body } });
  for (const [nodes, shown, answer] of [
    [[agent], "plain", "plain"],
    [[llm, check], "", "PLAIN"],
    [[llm, respond({ answer: "{{ steps.ask.output.text }}" })], "plain", "plain"],
    [[llm, respond("{{ $uppercase(steps.ask.output.text) }}")], "", "PLAIN"],
  ] as const) {
    const path = await deploy(nodes);
    const slow = slowModel();
    service.say(slow.answer);
    const { runId, sessionId } = await ask(path);
    await slow.asked();
    const follower = await followChat(`${origin}${path}/messages/${runId}`, sessionId);
    slow.say("plain");
    if (shown !== "") await until(async () => shownOf(follower.frames) === shown);
    slow.end();
    await follower.ended;
    const texts = follower.frames.filter(({ event }) => event === "text");
    expect([shownOf(texts), follower.frames.at(-1)?.data]).toEqual([shown, { text: answer }]);
  }
});

test("a chat names a step whose text can be streamed", async () => {
  const save = async (stream: string) => {
    const nodes = [llm, { ...llm, id: "typed", config: { ...llm.config, schema: {} } }];
    const { status, body } = await owner("POST /api/v1/workflows", {
      name: "Chat",
      trigger: { type: "chat", title: "Chat", stream },
      nodes: [...nodes, { id: "set", type: "set", config: { values: {} } }],
      edges: [],
    });
    return [status, body.errors?.map(({ path, message }: any) => `${path} ${message}`)];
  };
  expect(await save("ask")).toEqual([201, undefined]);
  const refusals = {
    none: "is not a node of the workflow",
    set: "is not a step of type llm or agent",
    typed: "is a step that returns an object, not text",
  };
  for (const [stream, message] of Object.entries(refusals)) {
    expect(await save(stream)).toEqual([422, [`/trigger/stream ${message}`]]);
  }
});

test("text that is validated before it becomes the answer is not streamed, even if the chat names it", async () => {
  const say = { id: "say", type: "respond", config: { body: "{{ steps.ask.output.text }}" } };
  const approve = { id: "approve", type: "approval", config: { approvers: ["owner"] } };
  const guard = { id: "guard", type: "condition", config: { expression: "true" } };
  const judge = { ...llm, id: "judge", config: { ...llm.config, schema: { type: "object" } } };
  const first = { ...guard, id: "first" };
  const save = async (nodes: readonly object[], ...paths: string[]) => {
    const edges = paths.flatMap((path) =>
      path.split(" ").flatMap((to, at, all) => (at === 0 ? [] : [{ from: all[at - 1], to }])),
    );
    const trigger = { type: "chat", title: "Chat", stream: "ask" };
    const { body } = await owner("POST /api/v1/workflows", { name: "Chat", trigger, nodes, edges });
    return body.errors
      ?.filter(({ path }: any) => path === "/trigger/stream")
      .map(({ message }: any) => message);
  };
  const held = (id: string) => [`is checked by ${id} before it becomes the response`];
  expect(await save([llm, approve, say], "ask approve say")).toEqual(held("approve"));
  expect(await save([llm, approve, say], "ask say", "approve say")).toEqual(held("approve"));
  expect(await save([llm, guard, say], "ask guard say")).toEqual(held("guard"));
  expect(await save([llm, judge, say], "ask judge say")).toEqual(held("judge"));
  for (const free of [
    await save([first, llm, say], "first ask say"),
    await save([llm, say, guard], "ask say guard"),
    await save([llm, say], "ask say"),
  ]) {
    expect(free ?? []).toEqual([]);
  }
});

test("a process follows at most five answers per conversation", async () => {
  const path = await deploy([llm]);
  const slow = slowModel();
  service.say(slow.answer);
  const { runId, sessionId } = await ask(path);
  await slow.asked();
  const address = `${origin}${path}/messages/${runId}`;
  const followers = [];
  for (let count = 0; count < 5; count += 1) followers.push(await followChat(address, sessionId));
  expect(followers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await followChat(address, sessionId)).status).toBe(429);
  // Reads only the response headers, not the streams.
  await followers[0]?.cut();
  await until(
    async () =>
      (await fetch(`${address}?sessionId=${sessionId}`, { method: "HEAD" })).status === 200,
  );
  const another = await until(async () => {
    const again = await followChat(address, sessionId);
    return again.status === 200 && again;
  });
  slow.say("plain");
  slow.end();
  await Promise.all([another, ...followers.slice(1)].map(({ ended }) => ended));
  expect(another.frames.at(-1)?.data).toEqual({ text: "plain" });
});

describeInBrowser("on its page", () => {
  test("text grows next to the conversation, and becomes part of it when complete", async () => {
    const path = await deploy([llm]);
    const slow = slowModel();
    service.say(slow.answer);
    const seat = await takeSeat();
    const { page } = seat;
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await page.goto(`${origin}${path}`);
    await page.getByRole("textbox").fill("<b>Hi");
    await page.getByRole("button", { name: "Send" }).click();
    await slow.asked();
    slow.say("Once <i>upon");
    await page.getByText("Once <i>upon").waitFor();
    const log = page.getByRole("log");
    expect(await log.innerText()).not.toContain("Once");
    expect(await page.locator("#live").getAttribute("aria-live")).toBe("off");
    slow.say(" a time");
    slow.end();
    await log.getByText("Once <i>upon a time").waitFor();
    expect(await log.innerText()).toMatch(/^You\s+<b>Hi\s+Helper\s+Once <i>upon a time$/);
    expect(await page.locator("#live").isHidden()).toBe(true);
    // The form also works without the script, with the entire conversation.
    const kept = await page
      .locator("[name=texts]")
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    expect([kept, errors]).toEqual([["<b>Hi", "Once <i>upon a time"], []]);
    await leaveSeat(seat, [origin]);
  });

  test("model output is rendered as formatted text, and never as markup of the page", async () => {
    const path = await deploy([llm]);
    const answer = [
      "## Try **this**",
      "1. Open `lpstat -p` <img src=x>",
      "",
      "2. Read [the *guide*](https://example.com/a_b) or https://example.com/b.",
      "- [no](javascript:alert(1))",
      "",
      "```sh",
      "# **not** bold",
      "```",
      "One line",
      "and another",
    ].join("\n");
    const slow = slowModel();
    service.say(slow.answer);
    const seat = await takeSeat();
    const { page } = seat;
    await page.goto(`${origin}${path}`);
    await page.getByRole("textbox").fill("*Hi*");
    await page.keyboard.press("Enter");
    await slow.asked();
    slow.say(answer);
    slow.end();
    const turn = page.getByRole("log").locator(".turn:not(.you)");
    await turn.waitFor();
    const shown = [
      '<p class="faint">Helper</p><p><strong>Try <strong>this</strong></strong></p>',
      "<ol><li>Open <code>lpstat -p</code> &lt;img src=x&gt;</li>",
      '<li>Read <a href="https://example.com/a_b" target="_blank" rel="noopener noreferrer nofollow">the *guide*</a>',
      ' or <a href="https://example.com/b" target="_blank" rel="noopener noreferrer nofollow">https://example.com/b</a>.',
      "</li></ol><ul><li>[no](javascript:alert(1))</li></ul><pre># **not** bold\n</pre><p>One line\nand another</p>",
    ].join("");
    expect(await turn.innerHTML()).toBe(shown);
    expect(await page.locator(".turn.you").innerText()).toMatch(/\*Hi\*$/);
    // A page that sends the conversation renders it in the same way.
    const next = slowModel();
    service.say(next.answer);
    await page.getByRole("textbox").fill("More");
    await page.evaluate(() => document.querySelector<HTMLFormElement>(".composer")?.submit());
    await next.asked();
    next.say("**Done**");
    next.end();
    await page.locator(".turn strong", { hasText: "Done" }).waitFor();
    expect(await turn.first().innerHTML()).toBe(shown);
    await leaveSeat(seat, [origin]);
  });
});
