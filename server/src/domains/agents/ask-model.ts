/** Sends a question of a step to a model, and validates answers with a schema. */
import { callModelsFor, type ChatAnswer, type ChatInput } from "#domains/connectors/index.ts";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";
import { StepFailure, type StepTools } from "#domains/runs/index.ts";
import { findSchemaErrors } from "#kernel/schema/json-schema-check.ts";

const ANSWER_IN_ERROR_CHARACTERS_MAX = 500;

/** The model, and the required form of the answer. */
export interface Question {
  readonly connectorId: string;
  readonly input: ChatInput;
  /** True if the text is shown while it streams. */
  readonly stream: boolean;
  /** The number of retries for an answer that matches its schema. */
  readonly repair: number;
}

/** An answer, with its object if a schema is given. */
export interface Answer extends ChatAnswer {
  readonly object?: unknown;
}

/** Asks once, with the rights of the run; a repeated step gets the stored answer. */
export async function askOnce(
  tools: StepTools,
  { connectorId, input, stream }: Pick<Question, "connectorId" | "input" | "stream">,
): Promise<ChatAnswer> {
  const { signal, beginText } = tools;
  const caller = { signal, ...(stream && { beginText }) };
  const answer = await callModelsFor(caller, () =>
    tools.perform("connectors.invoke", {
      params: { id: connectorId },
      body: { action: "chat", input },
    }),
  );
  return (answer as { readonly data: ChatAnswer }).data;
}

/** Asks until the answer matches its schema; an answer with tool calls is not final. */
export async function askModel(tools: StepTools, question: Question): Promise<Answer> {
  const { schema } = question.input;
  let { messages } = question.input;
  let answer = await askOnce(tools, question);
  let spent = answer;
  for (let repaired = 0; ; repaired += 1) {
    if (schema === undefined || answer.calls.length > 0) return withSpent(answer, spent);
    const read = readObject(answer.text, schema);
    if ("object" in read) return { ...withSpent(answer, spent), object: read.object };
    tools.log("warn", `The response does not match the schema: ${read.problem}`);
    if (repaired === question.repair) throw mismatch(answer, read.problem);
    messages = [
      ...messages,
      { role: "assistant", content: answer.text === "" ? "(nothing)" : answer.text },
      {
        role: "user",
        content: `The response does not match the schema: ${read.problem} Respond again, with JSON only.`,
      },
    ];
    answer = await askOnce(tools, { ...question, input: { ...question.input, messages } });
    spent = addSpent(spent, answer);
  }
}

/** Adds the usage of another response. */
export function addSpent<T extends Pick<ChatAnswer, "usage" | "cost">>(
  one: T,
  other: Pick<ChatAnswer, "usage" | "cost">,
): T {
  return {
    ...one,
    usage: {
      inputTokens: one.usage.inputTokens + other.usage.inputTokens,
      outputTokens: one.usage.outputTokens + other.usage.outputTokens,
      cachedTokens: one.usage.cachedTokens + other.usage.cachedTokens,
    },
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
  };
}

function withSpent(answer: ChatAnswer, { usage, cost }: ChatAnswer): ChatAnswer {
  return { ...answer, usage, cost };
}

/** The JSON object in a text: some models add text or a code fence. */
function readObject(
  text: string,
  schema: Readonly<Record<string, unknown>>,
): { readonly object: unknown } | { readonly problem: string } {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(text)?.[1];
  const written = fenced ?? text;
  if (isNestedDeeperThan(written, JSON_DEPTH_MAX))
    return { problem: "It has too many levels of nesting." };
  let object: unknown;
  try {
    object = JSON.parse(written);
  } catch {
    return { problem: "It is not JSON." };
  }
  const errors = findSchemaErrors(schema, object);
  return errors.length === 0 ? { object } : { problem: `${errors.join("; ")}.` };
}

function mismatch({ text, finish }: ChatAnswer, problem: string): StepFailure {
  const cut = finish === "length" ? " It was truncated: increase maxTokens." : "";
  return new StepFailure(
    "llm_schema_mismatch",
    `The response of the model does not match the schema: ${problem}${cut}`,
    { retryable: false, body: text.slice(0, ANSWER_IN_ERROR_CHARACTERS_MAX) },
  );
}
