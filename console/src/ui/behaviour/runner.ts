import { useState } from "react";

export interface Runner {
  /** Resolves to false after an error. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly isBusy: boolean;
  /** The error of the last run. */
  readonly error: unknown;
}

/** Runs work and tracks the busy state and error. Used by commands, and by screens without a session. */
export function useRunner(onError?: (error: unknown) => void): Runner {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isBusy,
    error,
    run: async (work) => {
      setBusy(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (failure) {
        setError(failure);
        onError?.(failure);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
