import { setTimeout as delay } from "node:timers/promises";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { Page } from "../definition/app.ts";
import type { AppSession } from "./app-session.ts";
import type { View } from "./browser/tree.ts";
import type { LoadedSource } from "./load-sources.ts";

const TRIES_MAX = 20;
const NEXT_TRY_MS = 50;

/** What bindings read. */
export interface BindingScope {
  readonly data: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly user: object;
  readonly context: object;
  readonly row?: unknown;
  readonly result?: unknown;
}

/** The value of a template. That others are being evaluated is no fault of this one: it waits. */
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
      const busy = error instanceof ExpressionError && error.code === "busy";
      if (!busy || attempt === TRIES_MAX) throw error;
      await delay(NEXT_TRY_MS);
    }
  }
}

/** What went wrong, in words that may be shown; anything unforeseen is ours, and goes on. */
export function toDisplayText(error: unknown): string {
  if (error instanceof ExpressionError) return `A binding failed: ${error.message}`;
  if (error instanceof Failure) {
    const [first] = error.particulars.errors ?? [];
    return first ? `${error.type.title} ${first.path} ${first.message}` : error.message;
  }
  throw error;
}

/** What the browser says: what the page was opened with, and what somebody entered and looks at. */
export interface BrowserState {
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly views: Readonly<Record<string, View>>;
}

/** What resolving a page needs. */
export interface ResolveContext {
  readonly visit: AppSession;
  readonly page: Page;
  readonly occasion: BrowserState;
  readonly scope: BindingScope;
  readonly loaded: ReadonlyMap<string, LoadedSource>;
}
