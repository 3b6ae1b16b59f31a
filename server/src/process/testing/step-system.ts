/** A workflow with a step of each kind with an external call or a wait, and the external system. */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { openaiAnswer } from "#domains/agents/testing/model-service.ts";
import { json, type Received } from "#domains/connectors/testing/upstream.ts";

/** The requests to the external system in one run, in step order. */
export const ASKED = [
  "file",
  "llm",
  "turn0",
  "tool0",
  "turn1",
  "tool1",
  "turn2",
  "race",
  "told",
] as const;
export type Asked = (typeof ASKED)[number];

/** The file that a run reads and copies. */
export const BYTES = randomBytes(200_000);

export interface Question {
  readonly what: Asked | "feed";
  readonly run: string;
  readonly answer: () => void;
}

export interface StepSystem {
  /** The number of items in its feed. The first existed before the first poll. */
  items: number;
  /** The number of polls of its feed. */
  looks: number;
  /** The path of the call that a run waits for, by run id. */
  readonly told: Map<string, string>;
  /** The workflow with its model's connector. */
  definition(connectorId: string): object;
  /** Identifies a request and its run. */
  interpret(received: Received, response: ServerResponse): Question;
}

export function createStepSystem(url: string): StepSystem {
  const system: StepSystem = {
    items: 1,
    looks: 0,
    told: new Map(),
    definition: (connectorId) => defineWorkflow(url, connectorId),
    interpret: (received, response) => interpret(system, received, response),
  };
  return system;
}

function defineWorkflow(url: string, connectorId: string): object {
  const model = { connectorId, model: "gpt-4.1-mini", stream: false };
  const get = (path: string): object => ({ url: `${url}${path}?run={{ run.id }}` });
  const nodes = [
    { id: "count", type: "state", config: { action: "increment", key: "runs" } },
    { id: "fetch", type: "http", config: { ...get("/file"), response: "file" } },
    {
      id: "copy",
      type: "script",
      config: {
        source: `
          const out = await context.files.create("copy.bin");
          let rest = 0;
          for await (const chunk of context.files.chunks(input)) {
            rest += chunk.length;
            await out.write(chunk);
          }
          return { file: await out.close(), rest };`,
        input: "{{ steps.fetch.output.body }}",
      },
    },
    { id: "ask", type: "llm", config: { ...model, prompt: "llm {{ run.id }}" } },
    {
      id: "bot",
      type: "agent",
      config: {
        ...model,
        prompt: "agent {{ run.id }}",
        tools: [
          {
            name: "look",
            description: "Looks at something",
            parameters: { type: "object", properties: { n: { type: "number" } } },
            type: "http",
            config: { url: `${url}/tool{{ call.arguments.n }}?run={{ run.id }}` },
          },
        ],
      },
    },
    {
      id: "first",
      type: "race",
      config: {
        body: {
          nodes: [
            { id: "quick", type: "http", config: get("/race") },
            { id: "never", type: "delay", config: { ms: 3_600_000 } },
          ],
          edges: [],
        },
      },
    },
    {
      id: "tell",
      type: "http",
      config: { ...get("/told"), method: "POST", body: { url: "{{ run.resumeUrl }}" } },
    },
    { id: "call", type: "wait_for_call", config: {} },
    {
      id: "end",
      type: "set",
      config: {
        values: {
          count: "{{ steps.count.output.value }}",
          file: "{{ steps.copy.output.file }}",
          rest: "{{ steps.copy.output.rest }}",
          text: "{{ steps.ask.output.text }}",
          answer: "{{ steps.bot.output.text }}",
          called: "{{ steps.call.output.body.ok }}",
        },
      },
    },
  ];
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]?.id, to: id }));
  return { name: "All kinds", trigger: { type: "manual" }, nodes, edges };
}

function interpret(
  system: StepSystem,
  { path, text }: Received,
  response: ServerResponse,
): Question {
  const url = new URL(path, "https://localhost");
  const run = url.searchParams.get("run") ?? "";
  switch (url.pathname) {
    case "/file":
      return {
        what: "file",
        run,
        answer: () =>
          response.writeHead(200, { "content-type": "application/octet-stream" }).end(BYTES),
      };
    case "/feed":
      system.looks += 1;
      return {
        what: "feed",
        run,
        answer: () =>
          response
            .writeHead(200, { "content-type": "application/rss+xml" })
            .end(feed(system.items)),
      };
    case "/told":
      system.told.set(run, new URL(JSON.parse(text).url).pathname);
      return { what: "told", run, answer: () => json(response, { ok: true }) };
    case "/race":
      return { what: "race", run, answer: () => json(response, { ok: true }) };
    case "/tool0":
    case "/tool1":
      return {
        what: url.pathname === "/tool0" ? "tool0" : "tool1",
        run,
        answer: () => json(response, { seen: true }),
      };
    default:
      return interpretModel(JSON.parse(text).messages, response);
  }
}

function interpretModel(
  messages: readonly { readonly role: string; readonly content: unknown }[],
  response: ServerResponse,
): Question {
  const [, kind = "", run = ""] = /(llm|agent) (run_\w+)/.exec(JSON.stringify(messages)) ?? [];
  if (kind === "llm") {
    return {
      what: "llm",
      run,
      answer: () => json(response, openaiAnswer({ text: `Seen ${run}` })),
    };
  }
  const turn = messages.filter(({ role }) => role === "tool").length;
  const said =
    turn < 2 ? { calls: [{ name: "look", arguments: { n: turn } }] } : { text: `Answer ${run}` };
  const what = (["turn0", "turn1", "turn2"] as const)[turn] ?? "turn2";
  return { what, run, answer: () => json(response, openaiAnswer(said)) };
}

function feed(items: number): string {
  const all = Array.from(
    { length: items },
    (_, n) => `<item><title>${n}</title><guid>item-${n}</guid></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Items</title>${all.join("")}</channel></rss>`;
}
