import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LOOPBACK } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { nowMs, percentile } from "../statistics.ts";
import { deploy } from "../workflow.ts";

const CALLS = 10;
const SAMPLES = 40;
const WARM_UP = 10;
const TARGET_MS = 60;

/** An agent that calls ten tools, one per turn: the platform's share of its time, without the model's. */
export const agent: Figure = {
  name: "agent",
  async measure(rig, effort) {
    const product = await rig.startProduct({
      ...effort,
      env: { MILLRACE_OUTBOUND_ALLOW: LOOPBACK },
    });
    const model = await startModel();
    const reply = await fetch(`http://127.0.0.1:${product.port}/api/v1/connectors`, {
      method: "POST",
      headers: { "content-type": "application/json", ...asMember(product.token) },
      body: JSON.stringify({
        name: "Model",
        type: "openai",
        config: { baseUrl: `${model.url}/v1` },
        auth: { kind: "bearer", token: "sk-test-0123456789" },
      }),
    });
    const { data } = (await reply.json()) as { readonly data: { readonly id: string } };
    const { hookPath } = await deploy(product, definitionWith(data.id));
    const own: number[] = [];
    for (let sample = 1; sample <= WARM_UP + SAMPLES; sample += 1) {
      model.reset();
      const beganAtMs = nowMs();
      const answer = await fetch(`http://127.0.0.1:${product.port}${hookPath}`, { method: "POST" });
      const text = await answer.text();
      const tookMs = nowMs() - beganAtMs;
      if (text !== `${CALLS} calls`) throw new Error(`It answered ${answer.status}: ${text}`);
      if (sample > WARM_UP) own.push(tookMs - model.spentMs());
    }
    model.close();
    own.sort((a, b) => a - b);
    const p50 = percentile(own, 0.5);
    return {
      ours: `p50 ${p50.toFixed(1)} ms`,
      target: `p50 ≤ ${TARGET_MS} ms`,
      reached: p50 <= TARGET_MS,
      notes: [
        `${CALLS} calls in ${CALLS} turns and one that answers; p95 ${percentile(own, 0.95).toFixed(1)} ms of ${SAMPLES}`,
      ],
      values: { p50, own },
    };
  },
};

function definitionWith(connectorId: string): object {
  return {
    name: "Agent",
    trigger: { type: "webhook" },
    nodes: [
      {
        id: "bot",
        type: "agent",
        config: {
          connectorId,
          model: "bench",
          stream: false,
          prompt: "Count.",
          maxTurns: CALLS + 2,
          tools: [
            {
              name: "count",
              description: "Counts on",
              parameters: { type: "object", properties: { n: { type: "number" } } },
              type: "set",
              config: { values: { next: "{{ call.arguments.n + 1 }}" } },
            },
          ],
        },
      },
      { id: "answer", type: "respond", config: { body: "{{ steps.bot.output.text }}" } },
    ],
    edges: [{ from: "bot", to: "answer" }],
  };
}

/** A model that immediately requests the next call and records the time its requests took. */
async function startModel() {
  let spent = 0;
  const server = createServer((request, response) => {
    const arrivedAtMs = nowMs();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly messages: readonly { readonly role: string }[];
      };
      const done = messages.filter(({ role }) => role === "tool").length;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer(done)));
      spent += nowMs() - arrivedAtMs;
    });
  });
  server.keepAliveTimeout = 300_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset: (): void => void (spent = 0),
    spentMs: (): number => spent,
    close: (): void => void server.close(),
  };
}

function answer(done: number): object {
  const call = {
    id: `call_${done}`,
    type: "function",
    function: { name: "count", arguments: JSON.stringify({ n: done }) },
  };
  const message =
    done < CALLS
      ? { role: "assistant", content: null, tool_calls: [call] }
      : { role: "assistant", content: `${done} calls` };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "bench",
    choices: [{ index: 0, message, finish_reason: done < CALLS ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}
