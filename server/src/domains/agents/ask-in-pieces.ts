/**
 * A question about a text that is too long for one: each piece is asked about, then the answers together, until there is one. Each
 * answer is kept under a key of its own, so that a step which begins again asks for none of them twice.
 */
import type { ChatInput } from "#domains/connectors/index.ts";
import { StepFailure, type StepTools } from "#domains/runs/index.ts";
import { addSpent, type Answer, askModel, askOnce, type Question } from "./ask-model.ts";
import { cutText } from "./text-pieces.ts";

/** Of all rounds together. */
const QUESTIONS_MAX = 200;

interface PieceRule {
  readonly characters: number;
  readonly overlap?: number;
  readonly combine?: string;
}

/** Asks about a text as `askModel` does, piece by piece where it is long. */
export function askInPieces({ characters, overlap = 0, combine }: PieceRule, whole: string) {
  return async (tools: StepTools, question: Question): Promise<Answer> => {
    const rule = { characters, overlap: Math.min(overlap, Math.floor(characters / 2)) };
    let text = whole;
    let { system } = question.input;
    let spent: Pick<Answer, "usage" | "cost"> | undefined;
    for (let asked = 0; text.length > characters;) {
      const pieces = cutText(text, rule);
      asked += pieces.length;
      if (asked > QUESTIONS_MAX) throw tooMany();
      const answers: string[] = [];
      for (const piece of pieces) {
        const answer = await askOnce(tools, toPieceQuestion(question, piece, system));
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

/** The question about a piece: its answer is a text, and nobody reads it. */
function toPieceQuestion(question: Question, piece: string, system: string | undefined) {
  const { schema: _, ...input } = question.input;
  return { ...question, stream: false, input: toInput(input, piece, system) };
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
  const message = `The text has more than ${QUESTIONS_MAX} pieces, or answers that are no shorter than it: raise /chunks/characters.`;
  return new StepFailure("too_many_pieces", message, { retryable: false });
}
