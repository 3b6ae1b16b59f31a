import { useSyncExternalStore } from "react";
import { toAge, toExactTime } from "./words.ts";

const TICK_MS = 1_000;

/** One shared clock for everything that displays relative times. */
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

/** A relative time, with the absolute time as a tooltip. */
export function Ago({ at }: { readonly at: string }) {
  const age = useSyncExternalStore(subscribe, () => toAge(at, nowMs));
  return (
    <time className="muted" dateTime={at} title={toExactTime(at)}>
      {age}
    </time>
  );
}
