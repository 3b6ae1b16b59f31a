import { setTimeout as delay } from "node:timers/promises";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { AppSession } from "./app-session.ts";

const ATTEMPTS_MAX = 20;
const RETRY_DELAY_MS = 50;

/** The values that bindings read. */
export interface BindingScope {
  readonly data: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly selected: Readonly<Record<string, unknown>>;
  readonly user: object;
  readonly context: object;
  readonly row?: unknown;
  readonly result?: unknown;
}

/** Evaluates a template; waits while the expression pool is busy. */
export async function evaluateBinding(
  { platform, partition }: AppSession,
  value: unknown,
  scope: BindingScope,
) {
  const template = compileTemplate(value);
  for (let attempt = 1; ; attempt += 1) {
    const nowMs = platform.clock.nowMs();
    try {
      return await template.evaluate(scope, {
        pool: platform.expressions,
        key: partition.workspace,
        nowMs,
      });
    } catch (error) {
      const isBusy = error instanceof ExpressionError && error.code === "busy";
      if (!isBusy || attempt === ATTEMPTS_MAX) throw error;
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** The last name of a path, for the start of a sentence: `/values/due` becomes `due `. */
function toFieldWords(path: string): string {
  const name = path.split("/").findLast((part) => part !== "" && !/^\d+$/.test(part));
  return name === undefined ? "" : `${name} `;
}

/** The message of an error that may be shown; rethrows any other. */
export function toDisplayText(error: unknown): string {
  if (error instanceof ExpressionError) return `A binding failed: ${error.message}`;
  if (error instanceof Failure) {
    const [first] = error.particulars.errors ?? [];
    // The user filled in a form and does not know the JSON: name the field by its title, or show only the message.
    if (!first) return error.message;
    const words = first.title === undefined ? toFieldWords(first.path) : `${first.title} `;
    return `${words}${first.message}.`;
  }
  throw error;
}
