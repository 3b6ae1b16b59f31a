import { useSyncExternalStore } from "react";

const SHOWN_MS = 4_000;
const UNDO_MS = 8_000;
const TOASTS_MAX = 3;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}

const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

/** Says what just happened, and offers the way back where there is one. */
export function notify(text: string, undo?: () => void): void {
  const id = (lastId += 1);
  set([...toasts.slice(1 - TOASTS_MAX), { id, text, undo }]);
  setTimeout(() => dismiss(id), undo ? UNDO_MS : SHOWN_MS);
}

/** Says what the server refused, in its own words. */
export function notifyError(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error));
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className="toast">
          {text}
          {undo && (
            <button
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
