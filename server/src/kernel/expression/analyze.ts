import { BoundedCache } from "../work/bounded-cache.ts";
import { ExpressionFailure } from "./expression-failure.ts";
import { compileFast, type FastExpression } from "./fast/compile.ts";
import { type ExpressionFault, unknownFunctions, writes } from "./function-names.ts";
import { parse } from "./parse.ts";
import { NO_REFERENCES, type References, referencesOf } from "./references.ts";

/** All that we know of an expression from its text. */
export interface Reading {
  readonly text: string;
  readonly faults: readonly ExpressionFault[];
  readonly references: References;
  /** Set when it can run on the main thread. */
  readonly fast: FastExpression | undefined;
  /** It can change objects in place. */
  readonly writes: boolean;
}

/** Reads an expression, or remembers what it read before. Never throws. */
export function read(text: string): Reading {
  const known = cache.get(text);
  if (known) return known;
  const reading = readAnew(text);
  cache.set(text, reading, ENTRY_WEIGHT + text.length);
  return reading;
}

const CACHE_WEIGHT_MAX = 1_000_000;
const ENTRY_WEIGHT = 200;
const cache = new BoundedCache<Reading>(CACHE_WEIGHT_MAX);

function readAnew(text: string): Reading {
  try {
    const tree = parse(text);
    return {
      text,
      faults: unknownFunctions(tree),
      references: referencesOf(tree),
      fast: compileFast(tree),
      writes: writes(tree),
    };
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    const fault = { position: error.position ?? 0, message: error.message };
    return { text, faults: [fault], references: NO_REFERENCES, fast: undefined, writes: false };
  }
}
