import { BoundedCache } from "../work/bounded-cache.ts";
import { ExpressionError } from "./expression-failure.ts";
import { compileFast, type FastExpression } from "./fast/compile.ts";
import { type ExpressionIssue, unknownFunctions, assignsVariables } from "./function-names.ts";
import { parse } from "./parse.ts";
import { NO_REFERENCES, type References, referencesOf } from "./references.ts";

/** All that we know of an expression from its text. */
export interface ExpressionAnalysis {
  readonly text: string;
  readonly faults: readonly ExpressionIssue[];
  readonly references: References;
  /** Set when it can run on the main thread. */
  readonly fast: FastExpression | undefined;
  /** It can change objects in place. */
  readonly writes: boolean;
}

/** Reads an expression, or remembers what it read before. Never throws. */
export function analyzeExpression(text: string): ExpressionAnalysis {
  const known = cache.get(text);
  if (known) return known;
  const reading = readAnew(text);
  cache.set(text, reading, ENTRY_WEIGHT + text.length);
  return reading;
}

const CACHE_WEIGHT_MAX = 1_000_000;
const ENTRY_WEIGHT = 200;
const cache = new BoundedCache<ExpressionAnalysis>(CACHE_WEIGHT_MAX);

function readAnew(text: string): ExpressionAnalysis {
  try {
    const tree = parse(text);
    return {
      text,
      faults: unknownFunctions(tree),
      references: referencesOf(tree),
      fast: compileFast(tree),
      writes: assignsVariables(tree),
    };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const fault = { position: error.position ?? 0, message: error.message };
    return { text, faults: [fault], references: NO_REFERENCES, fast: undefined, writes: false };
  }
}
