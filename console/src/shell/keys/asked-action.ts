/** The question that is open before an action which can't be undone. One at a time. */
import { useSyncExternalStore } from "react";

export interface Ask {
  readonly title: string;
  /** The consequence, in one sentence. */
  readonly text: string;
  /** The button that does it. */
  readonly act: string;
}

export interface Asked extends Ask {
  readonly run: () => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function set(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

export const ask = (question: Ask, run: () => void): void => set({ ...question, run });
export const endAsking = (): void => set(undefined);

export function useAsked(): Asked | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
