/** A command whose result is shown in place, such as a test run: response or error, and duration. */
import { useState } from "react";
import { ApiError, call, type Input, type OperationId, type Reply } from "../api.ts";
import { useRefusal } from "../people.ts";

export interface Outcome<O extends OperationId> {
  readonly reply?: Reply<O>;
  readonly error?: Error;
  /** The version after the command. */
  readonly etag?: string | undefined;
  readonly tookMs: number;
}

export interface OutcomeCommand<O extends OperationId> {
  readonly run: (input: Input<O>, ifMatch?: string) => Promise<Outcome<O>>;
  readonly isBusy: boolean;
  /** The reason why the command is disabled, for a tooltip. */
  readonly refusal: string | undefined;
  readonly outcome: Outcome<O> | undefined;
  /** Input errors by path. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  readonly forget: () => void;
}

/** Runs an operation, and keeps the outcome until the next run. */
export function useOutcome<O extends OperationId>(operation: O): OutcomeCommand<O> {
  const refusal = useRefusal(operation);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome<O>>();
  const error = outcome?.error;
  return {
    isBusy,
    refusal,
    outcome,
    faults: error instanceof ApiError ? error.errors : [],
    forget: () => setOutcome(undefined),
    run: async (input, ifMatch) => {
      setBusy(true);
      const begunMs = performance.now();
      let etag: string | undefined;
      const options = {
        ...(ifMatch !== undefined && { ifMatch }),
        onAnswer: ({ headers }: { readonly headers: Headers }): void => {
          etag = headers.get("etag") ?? undefined;
        },
      };
      const found = await call(operation, input, options).then(
        (reply) => ({ reply, etag }),
        (failure: unknown) => ({
          error: failure instanceof Error ? failure : new Error(String(failure)),
        }),
      );
      const made: Outcome<O> = { ...found, tookMs: performance.now() - begunMs };
      setOutcome(made);
      setBusy(false);
      return made;
    },
  };
}
