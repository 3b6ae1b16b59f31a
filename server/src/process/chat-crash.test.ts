import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { followChat, shownOf } from "#domains/agents/testing/chat-follower.ts";
import { openaiEvents } from "#domains/agents/testing/model-service.ts";
import { serve } from "#kernel/outbound/testing/server.ts";
import { until, useFixture } from "#kernel/testing/world.ts";
import { asker, kill, launch, logIn, useProducts } from "./testing/product.ts";
import { useServerDatabase } from "./testing/server-database.ts";

const HERE = { "x-workspace": "default" };
/** For a busy machine. A dead worker's lanes are free after five seconds. */
const WORK_LIMIT_MS = 50_000;

const database = useServerDatabase();
const asked: ServerResponse[] = [];
const service = await useFixture(
  serve((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      asked.push(response);
    });
  }),
);
useProducts();

const framesOf = (text: string) => openaiEvents({ text }).split(/(?<=\n\n)/);
const say = (response: ServerResponse | undefined, text: string) =>
  response?.write(
    framesOf(text)
      .filter((frame) => frame.includes('"content":"'))
      .join(""),
  );

test("a visitor receives the model's response through another process than the one that calls it; after a kill -9 of that one, the response restarts", async () => {
  const env = { ...database.env, MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" };
  const api = launch({ ...env, MILLRACE_ROLE: "api" });
  const worker = launch({ ...env, MILLRACE_ROLE: "worker" });
  const [address] = await Promise.all([api.ready, worker.ready]);
  const ask = asker(address, await logIn(address));
  const connector = await ask(
    "POST /api/v1/connectors",
    {
      name: "Model",
      type: "openai",
      config: { baseUrl: `http://127.0.0.1:${service.port}/v1` },
      auth: { kind: "none" },
    },
    HERE,
  );
  expect(connector.status, JSON.stringify(connector.body)).toBe(201);
  const config = {
    connectorId: connector.body.data.id,
    model: "gpt-4.1-mini",
    prompt: "{{ trigger.input.message }}",
  };
  const made = await ask(
    "POST /api/v1/workflows",
    {
      name: "Chat",
      trigger: { type: "chat", title: "Chat" },
      nodes: [{ id: "reply", type: "llm", timeoutMs: WORK_LIMIT_MS, config }],
      edges: [],
    },
    HERE,
  );
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = made.body.data;
  await ask(`POST /api/v1/workflows/${id}/publish`, undefined, HERE);
  const { url } = (await ask(`GET /api/v1/workflows/${id}`, undefined, HERE)).body.data.trigger;
  const messages = `${new URL(url).pathname}/messages`;
  const { runId, sessionId } = (await ask(`POST ${messages}`, { message: "Hi" })).body.data;
  const follower = await followChat(`${address}${messages}/${runId}`, sessionId);
  const shows = (text: string) =>
    until(async () => shownOf(follower.frames) === text, WORK_LIMIT_MS);

  await until(async () => asked.length === 1, WORK_LIMIT_MS);
  say(asked[0], "The first beginning");
  await shows("The first beginning");
  await kill(worker, "group");
  launch({ ...env, MILLRACE_ROLE: "worker" });
  await until(async () => asked.length === 2, WORK_LIMIT_MS);
  say(asked[1], "The second");
  await shows("The second");
  say(asked[1], " is whole.");
  asked[1]?.end(framesOf("").join(""));
  await follower.ended;
  expect(follower.frames.at(-1)).toEqual({
    event: "answer",
    data: { text: "The second is whole." },
  });
});
