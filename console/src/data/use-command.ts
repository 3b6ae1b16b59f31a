/** A command of a button, a menu or a key: busy, refused in words, told with its way back. */
import { useState } from "react";
import { notify } from "../ui/toast.tsx";
import { call, type Input, type OperationId, type Reply } from "./api.ts";
import { describeRefusal } from "./change.ts";
import { useRefusal } from "./people.ts";
import type { Environment } from "./place.ts";

export interface CommandOptions<O extends OperationId> {
  /** The toast, as in "INC0000012 is closed"; none where the screen says it by itself. */
  readonly said?: string | ((reply: Reply<O>) => string | undefined) | undefined;
  /** The way back, where the server has none. */
  readonly undo?: (reply: Reply<O>) => Promise<unknown>;
  /** Shows the change before the server has said yes; what it returns takes it back. */
  readonly show?: (() => () => void) | undefined;
  /** Why it can't be done now, beyond a missing permission. */
  readonly refusal?: string | undefined;
  /** Instead of the one that is shown. */
  readonly environment?: Environment | undefined;
  readonly onDone?: (reply: Reply<O>) => void;
}

export interface Command<O extends OperationId> {
  readonly run: (input: Input<O>, ifMatch?: string) => Promise<Reply<O> | undefined>;
  readonly isBusy: boolean;
  /** The reason why it is not offered, for a tooltip. */
  readonly refusal: string | undefined;
}

/** Performs an operation. The log and its events tell every screen what it changed. */
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

/** Performs an operation outside of a component, for acts whose operation is chosen when they are done. */
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

/** A command of several calls, or of a call and a browser action. The first refusal ends it and is shown. */
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
