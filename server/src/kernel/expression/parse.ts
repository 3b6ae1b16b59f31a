import { ExpressionError } from "./expression-failure.ts";
import { BASE64, compileJsonata, type Jsonata } from "./jsonata.ts";
import { childrenOf, type SyntaxTree } from "./syntax-tree.ts";

export const EXPRESSION_CHARACTERS_MAX = 10_000;
/** The parsing time grows with the square of a path's length. */
const DOTS_MAX = 1_000;
const DEPTH_MAX = 250;
/** The left sides of `?:` and `??` are copied, so nesting them doubles the tree each time. */
const COPIED_CHARACTERS_MAX = 200_000;

/** Parses an expression that can be hostile. Throws its syntax error. */
export function parse(text: string): SyntaxTree {
  if (text.length > EXPRESSION_CHARACTERS_MAX) {
    throw limitExceeded(`is longer than ${EXPRESSION_CHARACTERS_MAX} characters`);
  }
  if (dotsOf(text) > DOTS_MAX) throw limitExceeded(`has more than ${DOTS_MAX} dots`);
  const tree = readTree(text);
  if (nestsDeeper(tree, DEPTH_MAX))
    throw limitExceeded(`has more than ${DEPTH_MAX} levels of nesting`);
  return tree;
}

/** The number of dots in a text. Parsing time can grow with its square. */
export function dotsOf(text: string): number {
  let dots = 0;
  for (let at = text.indexOf("."); at !== -1; at = text.indexOf(".", at + 1)) dots += 1;
  return dots;
}

/** Parses with the package. Throws an `ExpressionError`. */
function readTree(text: string): SyntaxTree {
  parser ??= meteredParser();
  parser.copied = 0;
  try {
    // The package's type of the tree omits most members.
    return parser.jsonata(text).ast() as SyntaxTree;
  } catch (error) {
    throw syntaxFailure(error);
  }
}

let parser: { readonly jsonata: Jsonata; copied: number } | undefined;

/** The package with a counting JSON, because the parser copies parts of the tree through JSON. */
function meteredParser(): { readonly jsonata: Jsonata; copied: number } {
  const module: { exports: unknown } = { exports: {} };
  const metered: Pick<JSON, "parse" | "stringify"> = {
    parse: JSON.parse,
    stringify: (value: unknown): string => {
      const text = JSON.stringify(value);
      meter.copied += text.length;
      if (meter.copied > COPIED_CHARACTERS_MAX)
        throw limitExceeded("has too many nested ?: or ?? operators");
      return text;
    },
  };
  compileJsonata()(module, module.exports, metered, Date, BASE64);
  const meter = { jsonata: module.exports as Jsonata, copied: 0 };
  return meter;
}

function syntaxFailure(error: unknown): ExpressionError {
  if (error instanceof ExpressionError) return error;
  if (error instanceof RangeError) return limitExceeded("has too many levels of nesting");
  // The package throws plain objects. All other errors come from the RegExp constructor.
  const { code, message, position, token } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== "string") {
    return new ExpressionError(
      "syntax",
      "A regular expression or a function signature is not valid.",
    );
  }
  return new ExpressionError("syntax", typeof message === "string" ? message : code, {
    ...(typeof position === "number" && { position }),
    ...(typeof token === "string" && { token }),
  });
}

function limitExceeded(violation: string): ExpressionError {
  return new ExpressionError("syntax", `The expression ${violation}.`);
}

function nestsDeeper(tree: SyntaxTree, levels: number): boolean {
  let level: readonly SyntaxTree[] = [tree];
  for (let depth = 0; depth <= levels; depth += 1) {
    if (level.length === 0) return false;
    level = level.flatMap(childrenOf);
  }
  return true;
}
