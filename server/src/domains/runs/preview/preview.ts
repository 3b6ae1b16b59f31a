import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { ExpressionError, type ExpressionPlace } from "#kernel/expression/expression-failure.ts";
import { compileExpression, type EvaluationContext } from "#kernel/expression/expression.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import { EXPRESSION_CHARACTERS_MAX } from "#kernel/expression/parse.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import { type PreviewPlace, placeFields, readPreviewScope } from "./preview-scope.ts";
import { cutValue, typeOfValue } from "./sample.ts";

const TEXTS_MAX = 50;
/** Limit per value in a response. */
const VALUE_CHARACTERS_MAX = 16_384;
/** Evaluation stops after this time. Each expression also has its own limit. */
const TIME_LIMIT_MS = 2_000;

const PreviewedText = object(
  {
    expression: Type.Optional(
      text(EXPRESSION_CHARACTERS_MAX + 100, "An expression, with or without braces"),
    ),
    template: Type.Optional(
      Type.Unknown({
        description: "A string with `{{ }}`, or any JSON with such strings",
      }),
    ),
  },
  { title: "TextToPreview" },
);
type PreviewedText = Static<typeof PreviewedText>;

export const PreviewInput = object({
  ...placeFields,
  texts: Type.Array(PreviewedText, { minItems: 1, maxItems: TEXTS_MAX }),
});

const PreviewError = Type.Object({
  code: Type.Enum(["syntax", "evaluation", "timeout", "too_large", "busy"]),
  message: Type.String(),
  position: Type.Optional(Type.Integer({ description: "Position in the text, in characters" })),
  path: Type.Optional(
    Type.String({ description: "For a template: the JSON pointer of the string with the error" }),
  ),
  expression: Type.Optional(Type.String({ description: "The expression with the error" })),
});

export const Preview = Type.Object(
  {
    ok: Type.Boolean(),
    value: Type.Optional(Type.Unknown({ description: "Absent without a value" })),
    type: Type.Optional(
      Type.Enum(["nothing", "null", "boolean", "number", "string", "array", "object"]),
    ),
    length: Type.Optional(
      Type.Integer({ description: "Length of a list or string before truncation" }),
    ),
    truncated: Type.Optional(Type.Boolean({ description: "Whether the value was truncated" })),
    secrets: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Names of the secrets that the text uses. Their values are replaced by placeholders",
      }),
    ),
    error: Type.Optional(PreviewError),
  },
  { title: "ExpressionPreview" },
);
export type Preview = Static<typeof Preview>;

/**
 * Evaluates texts like a step, with placeholders for secrets. An expression error is part of a successful response.
 */
export async function previewTexts(
  platform: Platform,
  caller: Caller,
  { texts, ...place }: PreviewPlace & { readonly texts: readonly PreviewedText[] },
): Promise<Preview[]> {
  // Reading all variables for every keystroke would be expensive.
  const readsVariables = JSON.stringify(texts).includes("variables");
  const { values } = await readPreviewScope(platform, caller, place, { readsVariables });
  const until = performance.now() + TIME_LIMIT_MS;
  const turn = new TurnTimer();
  const previews: Preview[] = [];
  for (const one of texts) {
    if (turn.isOver()) await turn.next();
    const leftMs = Math.ceil(until - performance.now());
    const signal = AbortSignal.timeout(Math.max(1, leftMs));
    const isLate = leftMs <= 0;
    previews.push(isLate ? TOO_LATE : await previewText(platform, caller, one, { values, signal }));
  }
  return previews;
}

const TOO_LATE: Preview = {
  ok: false,
  error: { code: "timeout", message: "The time limit was reached before this text." },
};

const BUSY: Preview = {
  ok: false,
  error: {
    code: "busy",
    message: "Too many expressions are waiting to be evaluated. Try again in a few seconds.",
  },
};

async function previewText(
  platform: Platform,
  { workspace }: Caller,
  one: PreviewedText,
  { values, signal }: { values: Readonly<Record<string, unknown>>; signal: AbortSignal },
): Promise<Preview> {
  const context = {
    pool: platform.expressions,
    // A separate queue, so that previews do not block expressions of runs.
    key: `previews of ${workspace?.key ?? ""}`,
    nowMs: platform.clock.nowMs(),
    signal,
  };
  try {
    const { secrets, evaluate } = compileText(one);
    const value = await evaluate(withStandIns(values, secrets), context);
    return { ...toPreview(value), ...(secrets.length > 0 && { secrets: [...secrets] }) };
  } catch (error) {
    if (error === signal.reason) return BUSY;
    if (!(error instanceof ExpressionError)) throw error;
    const { code, message, position, path, text: expression } = error;
    return {
      ok: false,
      error: {
        code,
        message,
        ...(position !== undefined && { position }),
        ...(path !== undefined && path !== "" && { path }),
        ...(expression !== undefined && { expression }),
      },
    };
  }
}

interface CompiledText {
  readonly secrets: readonly string[];
  readonly evaluate: (scope: unknown, context: EvaluationContext) => unknown;
}

const BRACES = /^\s*\{\{([\s\S]*)\}\}\s*$/;

function compileText({ expression, template }: PreviewedText): CompiledText {
  if (expression === undefined) {
    const compiled = compileTemplate(template ?? null);
    return {
      secrets: namedSecrets(compiled.references.secrets),
      evaluate: (scope, context) => compiled.evaluate(scope, context),
    };
  }
  const inner = BRACES.exec(expression)?.[1];
  const place = {
    path: "",
    text: inner ?? expression,
    offset: inner === undefined ? 0 : expression.indexOf("{{") + 2,
  };
  const compiled = locateError(place, () => compileExpression(place.text));
  return {
    secrets: namedSecrets(compiled.references.secrets),
    evaluate: (scope, context) => locateError(place, () => compiled.evaluate(scope, context)),
  };
}

/** Calls a function. Errors, also of a promise, get the position in the text. */
function locateError<T>(place: ExpressionPlace, run: () => T): T {
  const rethrow = (error: unknown): never => {
    throw error instanceof ExpressionError ? error.at(place) : error;
  };
  try {
    const result = run();
    // The type of the promise does not change; it only rejects with another error.
    return result instanceof Promise ? (result.catch(rethrow) as T) : result;
  } catch (error) {
    return rethrow(error);
  }
}

function namedSecrets(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== ANY_NAME);
}

/** Uses placeholders as in test runs, because an expression can return its complete scope. */
function withStandIns(values: Readonly<Record<string, unknown>>, secrets: readonly string[]) {
  if (secrets.length === 0) return values;
  const value = Object.fromEntries(secrets.map((name) => [name, `[secret ${name}]`]));
  return Object.defineProperty({ ...values }, "secrets", { value });
}

function toPreview(value: unknown): Preview {
  const type = typeOfValue(value);
  if (value === undefined) return { ok: true, type };
  const cut = cutValue(value, VALUE_CHARACTERS_MAX);
  const isSized = typeof value === "string" || Array.isArray(value);
  return {
    ok: true,
    type,
    value: cut.value,
    ...(isSized && { length: value.length }),
    truncated: cut.truncated,
  };
}
