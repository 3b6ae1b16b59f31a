import { useSyncExternalStore } from "react";
import { toAge, toExactTime } from "./words.ts";

const TICK_MS = 1_000;

/** One clock that ticks for everything that shows a time. */
let nowMs = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

/** How long ago something was; its whole time as a tooltip. */
export function Ago({ at }: { readonly at: string }) {
  const age = useSyncExternalStore(subscribe, () => toAge(at, nowMs));
  return (
    <time className="muted" dateTime={at} title={toExactTime(at)}>
      {age}
    </time>
  );
}
