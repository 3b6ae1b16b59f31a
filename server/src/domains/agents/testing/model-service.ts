/** Local model services: their responses have the format of the real ones. */
import type { ServerResponse } from "node:http";
import { json, useUpstream, type Upstream } from "#domains/connectors/testing/upstream.ts";

/** The output of a model: text, tool calls, or both. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** How the service responds to one request; a function handles the response itself. */
export type ModelAnswer = Said | ((response: ServerResponse) => void);

export interface ModelService {
  readonly upstream: Upstream;
  /** The received request bodies, in order. */
  readonly asked: any[];
  /** Queues the next responses of the model; if none is left, it reports that it is done. */
  say(...answers: readonly ModelAnswer[]): void;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

let count = 0;

/** An answer of OpenAI's Chat Completions. */
export function openaiAnswer({ text = "", calls = [] }: Said): object {
  count += 1;
  return {
    id: `chatcmpl-${count}`,
    object: "chat.completion",
    created: 1_760_000_000,
    model: "gpt-4.1-mini-2025-04-14",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          refusal: null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ name, arguments: given }, index) => ({
              id: `call_${count}_${index}`,
              type: "function",
              function: {
                name,
                arguments: typeof given === "string" ? given : JSON.stringify(given),
              },
            })),
          }),
        },
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 } },
  };
}

/** The same in parts, as server-sent events. */
export function openaiEvents({ text = "", calls = [] }: Said): string {
  count += 1;
  const base = { id: `chatcmpl-${count}`, object: "chat.completion.chunk", model: "gpt-4.1-mini" };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...(text.match(/.{1,5}/gs) ?? []).map((content) => chunk({ content })),
    ...calls.flatMap(({ name, arguments: given }, index) => {
      const written = typeof given === "string" ? given : JSON.stringify(given);
      const half = Math.ceil(written.length / 2);
      const id = `call_${count}_${index}`;
      return [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: written.slice(0, half) } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: written.slice(half) } }] }),
      ];
    }),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    { ...base, choices: [], usage: USAGE },
  ];
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), "data: [DONE]\n\n"].join("");
}

/** A service for models, for all tests of a file. */
export async function useModelService(): Promise<ModelService> {
  const upstream = await useUpstream();
  const asked: any[] = [];
  const queue: ModelAnswer[] = [];
  const answer: Upstream["answer"] = ({ text }, response) => {
    const body = JSON.parse(text);
    asked.push(body);
    const next = queue.shift() ?? { text: "Done." };
    if (typeof next === "function") return next(response);
    if (body.stream !== true) return json(response, openaiAnswer(next));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(openaiEvents(next));
  };
  return {
    upstream,
    asked,
    say(...answers) {
      upstream.answer = answer;
      asked.length = 0;
      queue.splice(0, queue.length, ...answers);
    },
  };
}
