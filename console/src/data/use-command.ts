/** A command of a button, menu or shortcut: busy state, errors as text, and a toast with undo. */
import { useState } from "react";
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
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    refusal: missing ?? options.refusal,
    run: async (input, ifMatch) => {
      setBusy(true);
      try {
        return await perform(operation, input, { ...options, ifMatch });
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Performs an operation outside a component, for actions whose operation is chosen at runtime. */
export async function perform<O extends OperationId>(
  operation: O,
  input: Input<O>,
  options: CommandOptions<O> & { readonly ifMatch?: string | undefined } = {},
): Promise<Reply<O> | undefined> {
  const { said, undo, show, ifMatch, environment, onDone } = options;
  const takeBack = show?.();
  try {
    const reply = await call(operation, input, {
      ...(ifMatch !== undefined && { ifMatch }),
      ...(environment !== undefined && { environment }),
    });
    const invert =
      undo && (() => void undo(reply).catch((error: unknown) => notify(describeRefusal(error))));
    const text = typeof said === "function" ? said(reply) : said;
    if (text !== undefined) notify(text, invert);
    onDone?.(reply);
    return reply;
  } catch (error) {
    takeBack?.();
    notify(describeRefusal(error));
    return undefined;
  }
}

export interface Work {
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly refusal: string | undefined;
}

/** A command of several calls, or of a call and a browser action. Stops at the first error and shows it. */
export function useWork(operation: OperationId | undefined, why?: string): Work {
  const missing = useRefusal(operation);
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    refusal: missing ?? why,
    run: async (work) => {
      setBusy(true);
      try {
        await work();
        return true;
      } catch (error) {
        notify(describeRefusal(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
