import { describe, expect, test } from "vitest";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import { json } from "#domains/connectors/testing/upstream.ts";
import {
  deployWorkflow,
  trigger,
  waitForRun,
  type RunView,
} from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { openaiAnswer, openaiEvents, useModelService } from "./testing/model-service.ts";

const KEY = "sk-test-4f0d8a1c9b7e";
const service = await useModelService();
const world = await useWorld({ env: service.upstream.env, work: true });
const owner = await world.member(["owner"]);
const prices = [{ model: "gpt-4.1*", input: 2, output: 8 }];
const { id: connectorId } = await createConnector(
  owner,
  "openai",
  { baseUrl: `${service.upstream.url}/v1`, prices },
  { kind: "bearer", token: KEY },
);
const model = { connectorId, model: "gpt-4.1-mini" };

async function run(nodes: readonly object[], input: unknown = {}): Promise<RunView> {
  const id = await deployWorkflow(owner, nodes);
  const { body } = await trigger(owner, id, input);
  return waitForRun(owner, body.data.runId, ["completed", "failed", "cancelled", "paused"]);
}

function outputsOf({ trace }: RunView): Record<string, any> {
  return Object.fromEntries(trace.steps.map((step: any) => [step.id, step.output]));
}

const llm = (config: object) => ({ id: "ask", type: "llm", config: { ...model, ...config } });
const agent = (config: object) => ({
  id: "bot",
  type: "agent",
  config: { ...model, instructions: "Be brief.", prompt: "{{ trigger.input.text }}", ...config },
});
const double = {
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  type: "set",
  config: { values: { twice: "{{ call.arguments.n * 2 }}" } },
};
const callDouble = (n: unknown) => ({ calls: [{ name: "double", arguments: { n } }] });

describe("llm", () => {
  test("returns the text with usage and cost; no key is in the run, the log or an error", async () => {
    service.say({ text: "Hello Ada." });
    const done = await run([llm({ system: "Greet.", prompt: "{{ trigger.input.name }}" })], {
      name: "Ada",
    });
    expect(done.status).toBe("completed");
    expect(done.output).toEqual({
      text: "Hello Ada.",
      usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 0 },
      cost: (100 * 2 + 20 * 8) / 1e6,
      model: "gpt-4.1-mini",
      finish: "stop",
    });
    expect(service.asked[0]).toMatchObject({
      model: "gpt-4.1-mini",
      stream: true,
      messages: [
        { role: "system", content: "Greet." },
        { role: "user", content: "Ada" },
      ],
    });
    expect(service.upstream.received.at(-1)?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    service.say((response) => json(response, { error: { message: `Bad key ${KEY}` } }, 401));
    const failed = await run([llm({ prompt: "x" })]);
    expect(failed.error).toMatchObject({ path: "ask", code: "upstream_failed" });
    expect(failed.error.message).toContain("returned 401: Bad key");
    const [log] = await world.sql("select string_agg(data::text, ' ') as text from events");
    expect(JSON.stringify([done, failed, log])).not.toContain(KEY);
  });

  test("an answer that does not match its schema is repaired, up to the limit", async () => {
    const schema = {
      type: "object",
      properties: { topic: { enum: ["order", "bill"] } },
      required: ["topic"],
    };
    service.say(
      { text: "It is a bill." },
      { text: '{"topic":"tax"}' },
      { text: '{"topic":"bill"}' },
    );
    const fine = await run([llm({ prompt: "x", schema })]);
    expect(fine.output).toMatchObject({
      object: { topic: "bill" },
      usage: { inputTokens: 300, outputTokens: 60 },
    });
    expect(service.asked[2].messages.at(-1).content).toMatch(/does not match the schema: \/topic/);
    service.say({ text: "no" }, { text: "no" });
    const failed = await run([llm({ prompt: "x", schema, repair: 1 })]);
    expect(failed.error).toMatchObject({ code: "llm_schema_mismatch", path: "ask" });
    expect(service.asked).toHaveLength(2);
  });

  test("a busy service is retried at the time it requested; a rejection is not", async () => {
    const busy = (status: number) => (response: any) =>
      response
        .writeHead(status, { "content-type": "application/json", "retry-after": "0" })
        .end('{"error":{"message":"no"}}');
    const node = { ...llm({ prompt: "x" }), retry: { maxAttempts: 3, backoffMs: 0 } };
    service.say(busy(429), busy(503), { text: "Now." });
    expect((await run([node])).output.text).toBe("Now.");
    expect(service.asked).toHaveLength(3);
    service.say(busy(400));
    expect((await run([node])).status).toBe("failed");
    expect(service.asked).toHaveLength(1);
  });
});

describe("agent", () => {
  test("calls tools until it has an answer; each turn and each call is a step", async () => {
    service.say(
      { text: "Let me see.", calls: [...callDouble(4).calls, ...callDouble(5).calls] },
      callDouble(10),
      { text: "20." },
    );
    const done = await run([agent({ tools: [double] })], { text: "Double 4 and 5, then 10" });
    expect(done.error).toBeNull();
    expect(done.output).toMatchObject({
      text: "20.",
      turns: 3,
      toolCalls: 3,
      usage: { inputTokens: 300, outputTokens: 60 },
      cost: 3 * ((100 * 2 + 20 * 8) / 1e6),
    });
    const outputs = outputsOf(done);
    expect(outputs["bot[0].$calls[1].double"]).toEqual({ twice: 10 });
    expect(outputs["bot[1].$calls"]).toMatchObject([{ name: "double", content: '{"twice":20}' }]);
    expect(service.asked[2].messages.map(({ role }: any) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(service.asked[2].messages[3]).toMatchObject({ role: "tool", content: '{"twice":8}' });
  });

  test("an invalid call is reported to the model, and not executed", async () => {
    const broken = {
      ...double,
      name: "broken",
      type: "transform",
      config: { expression: "$number('x')" },
    };
    service.say(
      {
        calls: [
          { name: "double", arguments: { n: "four" } },
          { name: "double", arguments: "{not json" },
          { name: "steal", arguments: {} },
          { name: "broken", arguments: { n: 1 } },
        ],
      },
      { text: "Sorry." },
    );
    const done = await run([agent({ tools: [double, broken] })], { text: "x" });
    expect(done.output.text).toBe("Sorry.");
    const told = outputsOf(done)["bot[0].$calls"];
    expect(told.map((one: any) => one.isError)).toEqual([true, true, true, true]);
    expect(told[0].content).toMatch(/do not fit the schema: \/n/);
    expect(told[1].content).toBe("The arguments are not JSON.");
    expect(told[2].content).toBe("The tool steal does not exist. Available tools: double, broken.");
    expect(told[3].content).toMatch(/^The tool call failed: /);
    const skipped = done.trace.steps.find((one: any) => one.id === "bot[0].$calls[0].double");
    expect(skipped.status).toBe("skipped");
  });

  test("limits of turns, tokens and cost end it; the last turn has no tools", async () => {
    const endless = Array.from({ length: 9 }, () => callDouble(1));
    service.say(...endless.slice(0, 2), { text: "Enough." });
    const patient = await run([agent({ tools: [double], maxTurns: 3 })], { text: "x" });
    expect(patient.output).toMatchObject({ text: "Enough.", turns: 3 });
    expect(service.asked[2].tool_choice).toBe("none");
    const limits = {
      agent_exhausted: [{ maxTurns: 3 }, 3],
      agent_tokens_exceeded: [{ maxTotalTokens: 240 }, 2],
      agent_cost_exceeded: [{ maxCost: 0.0004 }, 2],
    } as const;
    for (const [code, [limit, calls]] of Object.entries(limits)) {
      service.say(...endless);
      const failed = await run([agent({ tools: [double], ...limit })], { text: "x" });
      expect(failed.error.code).toBe(code);
      expect(service.asked).toHaveLength(calls);
    }
  });

  test("steps after a wait in parallel to an agent start when all earlier records are durable", async () => {
    const [turn, effect] = [Promise.withResolvers<any>(), Promise.withResolvers<any>()];
    service.say(callDouble(1), callDouble(2), turn.resolve);
    const ofModel = service.upstream.answer;
    service.upstream.answer = (received, response) =>
      received.path === "/effect" ? effect.resolve(response) : ofModel(received, response);
    const nodes = [
      agent({ tools: [double], stream: false }),
      { id: "rest", type: "delay", config: { ms: 60_000 } },
      { id: "post", type: "http", config: { url: `${service.upstream.url}/effect` } },
    ];
    const id = await deployWorkflow(owner, nodes, { edges: [{ from: "rest", to: "post" }] });
    const { runId } = (await trigger(owner, id, { text: "x" })).body.data;
    const answer = await turn.promise;
    world.clock.advance(61_000);
    const answerEffect = await effect.promise;
    // Both are in one commit, which waits for the disk, and so for the earlier turns.
    const [{ rested }] = await world.sql(
      `select count(*)::int as rested from run_journal, jsonb_array_elements(records) as line
        where run_id = $1 and line ->> 'path' = 'rest' and line ->> 'status' = 'completed'`,
      [runId],
    );
    expect(rested).toBe(1);
    json(answerEffect, {});
    json(answer, openaiAnswer({ text: "Done." }));
    expect((await waitForRun(owner, runId)).status).toBe("completed");
  });

  test("a person approves a call, or rejects it with a comment to the model", async () => {
    const guarded = { ...double, approval: true };
    service.say(callDouble(3), callDouble(4), { text: "Fine." });
    const paused = await run([agent({ tools: [guarded], approvers: ["owner"] })], { text: "x" });
    expect(paused.status).toBe("paused");
    const { body } = await owner("GET /api/v1/approvals");
    expect(body.data[0].message).toBe('The agent wants to call double with\n{\n  "n": 3\n}');
    const decide = (approved: boolean, comment: string) =>
      owner(`POST /api/v1/runs/${paused.id}/resume`, { approved, comment });
    expect((await decide(true, "")).events).toEqual(["workflow.run_resumed"]);
    await until(async () => {
      const { body: found } = await owner("GET /api/v1/approvals");
      return found.data[0]?.stepId?.startsWith("bot[1]");
    });
    await decide(false, "Not today.");
    const done = await waitForRun(owner, paused.id);
    expect(done.output.text).toBe("Fine.");
    const outputs = outputsOf(done);
    expect(outputs["bot[0].$calls"][0].content).toBe('{"twice":6}');
    expect(outputs["bot[1].$calls"][0]).toMatchObject({
      isError: true,
      content: "The tool call was rejected. It was not made. Comment: Not today.",
    });
  });

  test("memory is selected by key, limited by its window, and can be deleted", async () => {
    const remembering = agent({ memory: { key: "customer {{ trigger.input.who }}", window: 2 } });
    for (const text of ["I am Ada.", "Who am I?", "And now?"]) {
      service.say({ text: `You said ${text}` });
      const { error } = await run([remembering], { text, who: 7 });
      expect(error).toBeNull();
    }
    const words = service.asked[0].messages.map(({ content }: any) => content);
    expect(words).toEqual(["Be brief.", "Who am I?", "You said Who am I?", "And now?"]);
    const { body } = await owner("GET /api/v1/agent-memories?key=customer%207");
    expect(body.data).toMatchObject([{ key: "customer 7", messageCount: 2 }]);
    const path = `/api/v1/agent-memories/${body.data[0].id}`;
    const [log] = await world.sql(
      "select string_agg(data::text, ' ') as text from events where type like 'agent_memory.%'",
    );
    expect(log?.["text"]).not.toContain("Ada");
    expect((await owner(`DELETE ${path}`)).events).toEqual(["agent_memory.deleted"]);
    expect((await owner(`GET ${path}`)).status).toBe(404);
  });

  test("a test run uses mocked turns and sends no requests", async () => {
    service.say();
    const id = await deployWorkflow(owner, [agent({ tools: [double] })]);
    const { body } = await owner(`POST /api/v1/workflows/${id}/test`, {
      input: { text: "x" },
      mocks: { "bot.$turn": [callDouble(21), { text: "42" }] },
    });
    const done = await waitForRun(owner, body.data.id ?? body.data.runId);
    expect(done.output).toMatchObject({ text: "42", turns: 2, toolCalls: 1 });
    expect(outputsOf(done)["bot[0].$calls[0].double"]).toEqual({ twice: 42 });
    expect(service.asked).toHaveLength(0);
  });

  test("a cancelled run does not wait for a slow model", async () => {
    let closed = false;
    service.say((response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(openaiEvents({ text: "I begin" }).slice(0, 300));
    });
    const id = await deployWorkflow(owner, [agent({})]);
    const { body } = await trigger(owner, id, { text: "x" });
    await until(async () => service.asked.length === 1);
    await owner(`POST /api/v1/runs/${body.data.runId}/cancel`);
    expect((await waitForRun(owner, body.data.runId)).status).toBe("cancelled");
    await until(async () => closed);
  });

  test("imports an n8n agent with its model, memory, output schema and tools", async () => {
    const part = (name: string, type: string, parameters: object = {}) => ({
      name,
      type: `@n8n/n8n-nodes-langchain.${type}`,
      typeVersion: 2,
      position: [0, 0],
      parameters,
    });
    const link = (kind: string, node: string) => ({ [kind]: [[{ node, type: kind, index: 0 }]] });
    const { body } = await owner("POST /api/v1/workflows/import", {
      format: "n8n",
      bindings: { "connector:OpenAI": connectorId },
      workflow: {
        name: "Imported",
        nodes: [
          { ...part("Start", "x"), type: "n8n-nodes-base.manualTrigger" },
          part("Bot", "agent", {
            promptType: "define",
            text: "=Look up {{ 1 + 1 }}",
            options: { systemMessage: "Be brief.", maxIterations: 4 },
          }),
          part("Model", "lmChatOpenAi", { model: { value: "gpt-4.1-mini" } }),
          part("Memory", "memoryBufferWindow", { sessionIdType: "customKey", sessionKey: "n8n" }),
          part("Parser", "outputParserStructured", { jsonSchemaExample: '{"n": 1}' }),
          part("Think", "toolThink", {}),
        ],
        connections: {
          Start: link("main", "Bot"),
          Model: link("ai_languageModel", "Bot"),
          Memory: link("ai_memory", "Bot"),
          Parser: link("ai_outputParser", "Bot"),
          Think: link("ai_tool", "Bot"),
        },
      },
    });
    const [{ definition }] = body.data.workflows;
    const { nodes, ...more } = definition;
    service.say(
      { calls: [{ name: "tool_Think", arguments: { thought: "Hm." } }] },
      { text: '{"n": 2}' },
    );
    const id = await deployWorkflow(owner, nodes, more);
    const { body: started } = await trigger(owner, id);
    const done = await waitForRun(owner, started.data.runId);
    expect([done.error, done.output]).toEqual([null, [{ output: { n: 2 } }]]);
    expect(service.asked[0].messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Look up 2" },
    ]);
  });

  test("validation reports errors in the tools of a definition", async () => {
    const { body } = await owner("POST /api/v1/workflows/validate", {
      name: "x",
      trigger: { type: "manual" },
      nodes: [
        agent({
          tools: [
            double,
            double,
            { name: "bot", type: "http", config: { url: "{{ stesp.x }}" } },
            { name: "end", type: "respond", config: {} },
            {
              name: "post",
              type: "connector",
              config: { connectorId: "con_01jd0000000000000000000000", action: "x" },
            },
          ],
        }),
      ],
      edges: [],
    });
    const paths = body.data.errors.map(({ path }: any) => path).toSorted();
    expect(paths).toEqual([
      "/nodes/0/config/tools/1/name",
      "/nodes/0/config/tools/2/config/url",
      "/nodes/0/config/tools/2/name",
      "/nodes/0/config/tools/3/type",
      "/nodes/0/config/tools/4/config/connectorId",
    ]);
  });
});
