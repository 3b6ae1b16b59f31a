/** A command of a button, menu or shortcut: busy state, errors as text, and a toast with undo. */
import { useRunner } from "../ui/behaviour/runner.ts";
import { notify } from "../ui/toast.tsx";
import { call, type Input, type OperationId, type Reply } from "./api.ts";
import { describeRefusal } from "./change.ts";
import { useRefusal } from "./people.ts";
import type { Environment } from "./place.ts";

export interface CommandOptions<O extends OperationId> {
  /** The toast message, such as "INC0000012 is closed"; undefined if the screen shows the result itself. */
  readonly said?: string | ((reply: Reply<O>) => string | undefined) | undefined;
  /** The inverse operation, where the server does not offer undo. */
  readonly undo?: (reply: Reply<O>) => Promise<unknown>;
  /** Applies the change optimistically; returns a function that reverts it. */
  readonly show?: (() => () => void) | undefined;
  /** Why the command is disabled, apart from a missing permission. */
  readonly refusal?: string | undefined;
  /** Used instead of the current environment. */
  readonly environment?: Environment | undefined;
  readonly onDone?: (reply: Reply<O>) => void;
  /** Handles an error. If it returns true, no toast is shown. */
  readonly onRefused?: ((error: unknown) => boolean) | undefined;
}

export interface Command<O extends OperationId> {
  readonly run: (input: Input<O>, ifMatch?: string) => Promise<Reply<O> | undefined>;
  readonly isBusy: boolean;
  /** The reason why the command is disabled, for a tooltip. */
  readonly refusal: string | undefined;
}

/** Performs an operation. Events update the affected screens. */
export function useCommand<O extends OperationId>(
  operation: O,
  options: CommandOptions<O> = {},
): Command<O> {
  const missing = useRefusal(operation);
  const { run, isBusy } = useRunner();
  return {
    isBusy,
    refusal: missing ?? options.refusal,
    run: async (input, ifMatch) => {
      let reply: Reply<O> | undefined;
      await run(async () => {
        reply = await perform(operation, input, { ...options, ifMatch });
      });
      return reply;
    },
  };
}

/** Performs an operation outside a component, for actions whose operation is chosen at runtime. */
export async function perform<O extends OperationId>(
  operation: O,
  input: Input<O>,
  options: CommandOptions<O> & { readonly ifMatch?: string | undefined } = {},
): Promise<Reply<O> | undefined> {
  const { said, undo, show, ifMatch, environment, onDone, onRefused } = options;
  const takeBack = show?.();
  try {
    const reply = await call(operation, input, {
      ...(ifMatch !== undefined && { ifMatch }),
      ...(environment !== undefined && { environment }),
    });
    tellDone(typeof said === "function" ? said(reply) : said, undo && (() => undo(reply)));
    onDone?.(reply);
    return reply;
  } catch (error) {
    takeBack?.();
    if (!onRefused?.(error)) notify(describeRefusal(error));
    return undefined;
  }
}

/** Shows the command result with an undo action. Default: the server's undo. */
export function tellDone(text: string | undefined, undo?: () => Promise<unknown>): void {
  if (text === undefined) return;
  notify(text, undo && (() => void attempt(undo)));
}

/** Runs several calls outside a component. An error is shown, and resolves to undefined. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    notify(describeRefusal(error));
    return undefined;
  }
}

export interface Work {
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly refusal: string | undefined;
}

interface WorkOptions {
  /** Why it is disabled, apart from a missing permission. */
  readonly refusal?: string | undefined;
  /** Handles an error. If it returns true, no toast is shown. */
  readonly onRefused?: (error: unknown) => boolean;
}

/** Runs several calls, or a call with a browser action, as one command. Stops at the first error and shows it. */
export function useWork(operation: OperationId | undefined, options: WorkOptions = {}): Work {
  const { refusal, onRefused } = options;
  const missing = useRefusal(operation);
  const { run, isBusy } = useRunner((error) => {
    if (!onRefused?.(error)) notify(describeRefusal(error));
  });
  return { run, isBusy, refusal: missing ?? refusal };
}
