/** Converts agent steps to a conversation. Pure functions. */
import type { RunStep } from "../../workflows/index.ts";

/** A message or tool call, in order. */
export type Entry =
  | { readonly kind: "prompt"; readonly key: string; readonly text: string }
  | {
      readonly kind: "turn";
      readonly key: string;
      readonly stepId: string;
      readonly text: string;
      readonly status: RunStep["status"];
      readonly error: string | undefined;
      readonly tokens: number;
      readonly cost: number | undefined;
    }
  | {
      readonly kind: "call";
      readonly key: string;
      /** The step for the tool call or approval. */
      readonly stepId: string;
      readonly name: string;
      readonly given: unknown;
      readonly status: "waiting" | "running" | "done" | "failed";
      readonly result: string | undefined;
    };

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Builds a conversation from an agent step and its inner steps. */
export function toConversation(agent: RunStep, inner: readonly RunStep[]): readonly Entry[] {
  const { prompt } = fieldsOf(agent.input);
  const byId = new Map(inner.map((step) => [step.id, step]));
  const entries: Entry[] = [];
  if (prompt !== undefined) {
    const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt, null, 2);
    entries.push({ kind: "prompt", key: "prompt", text });
  }
  for (let index = 0; ; index += 1) {
    const turn = byId.get(`${agent.id}[${index}].$turn`);
    if (!turn) return entries;
    const { text, usage, cost, calls } = fieldsOf(turn.output);
    const { inputTokens, outputTokens } = fieldsOf(usage);
    entries.push({
      kind: "turn",
      key: turn.id,
      stepId: turn.id,
      text: textOf(text),
      status: turn.status,
      error: turn.error?.message,
      tokens: numberOf(inputTokens) + numberOf(outputTokens),
      cost: typeof cost === "number" ? cost : undefined,
    });
    const asked = Array.isArray(calls) ? (calls as readonly unknown[]) : [];
    for (const [place, call] of asked.entries()) {
      entries.push(toCall(fieldsOf(call), `${agent.id}[${index}].$calls[${place}]`, byId));
    }
  }
}

function toCall(call: Fields, at: string, byId: ReadonlyMap<string, RunStep>): Entry {
  const name = textOf(call["name"]);
  const tool = byId.get(`${at}.${name}`) ?? byId.get(`${at}.$mcp`);
  const approval = byId.get(`${at}.$approve`);
  const { content, isError } = fieldsOf(byId.get(`${at}.$answer`)?.output);
  const isAsked = approval?.status === "paused";
  const isOver = typeof content === "string";
  return {
    kind: "call",
    key: at,
    stepId: isAsked ? approval.id : (tool?.id ?? `${at}.$answer`),
    name,
    given: call["arguments"],
    status: isAsked ? "waiting" : isOver ? (isError === true ? "failed" : "done") : "running",
    result: isOver ? content : undefined,
  };
}

/** Sums up the usage of all turns. */
export function sumUp(entries: readonly Entry[]): {
  readonly turns: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number | undefined;
} {
  const turns = entries.filter((entry) => entry.kind === "turn");
  const costs = turns.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return {
    turns: turns.length,
    calls: entries.filter(({ kind }) => kind === "call").length,
    tokens: turns.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** Formats dollars with enough digits for small amounts. */
export function toDollars(cost: number): string {
  return `$${cost >= 1 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}
