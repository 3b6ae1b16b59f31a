/**
 * Asks about a text that is too long for one request: about each chunk, then about the combined answers, until one
 * is left. Each answer is stored with its own key, so that a repeated step asks for none of them twice.
 */
import type { ChatInput } from "#domains/connectors/index.ts";
import { StepFailure, type StepTools } from "#domains/runs/index.ts";
import { addSpent, type Answer, askModel, askOnce, type Question } from "./ask-model.ts";
import { cutText } from "./text-chunks.ts";

/** The limit for all rounds together. */
const QUESTIONS_MAX = 200;

interface ChunkRule {
  readonly characters: number;
  readonly overlap?: number;
  readonly combine?: string;
}

/** Asks about a text like `askModel`; splits it into chunks if it is long. */
export function askInChunks({ characters, overlap = 0, combine }: ChunkRule, whole: string) {
  return async (tools: StepTools, question: Question): Promise<Answer> => {
    const rule = { characters, overlap: Math.min(overlap, Math.floor(characters / 2)) };
    let text = whole;
    let { system } = question.input;
    let spent: Pick<Answer, "usage" | "cost"> | undefined;
    for (let asked = 0; text.length > characters;) {
      const chunks = cutText(text, rule);
      asked += chunks.length;
      if (asked > QUESTIONS_MAX) throw tooMany();
      const answers: string[] = [];
      for (const chunk of chunks) {
        const answer = await askOnce(tools, toChunkQuestion(question, chunk, system));
        spent = spent ? addSpent(spent, answer) : answer;
        answers.push(answer.text);
      }
      text = answers.join("\n\n");
      system = combine ?? system;
    }
    const input = toInput(question.input, text, system);
    const last = await askModel(tools, { ...question, input });
    return spent ? addSpent(last, spent) : last;
  };
}

/** The question about a chunk: its answer is plain text, and is not streamed. */
function toChunkQuestion(question: Question, chunk: string, system: string | undefined) {
  const { schema: _, ...input } = question.input;
  return { ...question, stream: false, input: toInput(input, chunk, system) };
}

function toInput(input: ChatInput, content: string, system: string | undefined): ChatInput {
  const { system: _, ...rest } = input;
  return {
    ...rest,
    messages: [{ role: "user", content }],
    ...(system !== undefined && { system }),
  };
}

function tooMany(): StepFailure {
  const message = `The text has more than ${QUESTIONS_MAX} chunks, or the answers are as long as the text. Increase /chunks/characters.`;
  return new StepFailure("too_many_chunks", message, { retryable: false });
}
