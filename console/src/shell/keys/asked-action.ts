/** The confirmation for an irreversible action. Only one can be open. */
import { useSyncExternalStore } from "react";

export interface Ask {
  readonly title: string;
  /** The consequence, in one sentence. */
  readonly text: string;
  /** The label of the confirm button. */
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
