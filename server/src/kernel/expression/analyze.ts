import { BoundedCache } from "../work/bounded-cache.ts";
import { ExpressionError } from "./expression-failure.ts";
import { compileFast, type FastExpression } from "./fast/compile.ts";
import {
  type ExpressionIssue,
  unknownFunctions,
  assignsVariables,
  unboundVariables,
} from "./function-names.ts";
import { parse } from "./parse.ts";
import { NO_REFERENCES, type References, referencesOf } from "./references.ts";

/** The analysis of an expression's text. */
export interface ExpressionAnalysis {
  readonly text: string;
  readonly issues: readonly ExpressionIssue[];
  readonly references: References;
  /** Paths read from the scope. */
  readonly paths: readonly (readonly string[])[];
  /** Free variables. */
  readonly variables: readonly string[];
  /** Set if it can run on the main thread. */
  readonly fast: FastExpression | undefined;
  /** True if it can change objects in place. */
  readonly writes: boolean;
}

/** Analyzes an expression, with a cache. Never throws. */
export function analyzeExpression(text: string): ExpressionAnalysis {
  const cached = cache.get(text);
  if (cached) return cached;
  const analysis = parseAndAnalyze(text);
  cache.set(text, analysis, ENTRY_WEIGHT + text.length);
  return analysis;
}

const CACHE_WEIGHT_MAX = 1_000_000;
const ENTRY_WEIGHT = 200;
const cache = new BoundedCache<ExpressionAnalysis>(CACHE_WEIGHT_MAX);

function parseAndAnalyze(text: string): ExpressionAnalysis {
  try {
    const tree = parse(text);
    return {
      text,
      issues: unknownFunctions(tree),
      ...referencesOf(tree),
      variables: unboundVariables(tree),
      fast: compileFast(tree),
      writes: assignsVariables(tree),
    };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const issue = { position: error.position ?? 0, message: error.message };
    return {
      text,
      issues: [issue],
      references: NO_REFERENCES,
      paths: [],
      variables: [],
      fast: undefined,
      writes: false,
    };
  }
}
