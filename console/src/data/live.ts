/**
 * One stream of the log for all tabs of a browser. HTTP/1.1 gives an origin six connections, and a stream holds one for
 * good: so the tab that holds the lock listens, and tells the others.
 */
import { useSyncExternalStore } from "react";
import { invalidate } from "./api.ts";
import { place } from "./place.ts";
import { readStream } from "./stream.ts";

export interface LogEvent {
  readonly id: string;
  readonly type: string;
  readonly at?: string;
  readonly resource?: { readonly type: string; readonly id: string; readonly name?: string };
  readonly actor?: { readonly name?: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

export type LiveState = "connecting" | "live" | "lost" | "unavailable";

const BURST_MS = 150;
const RECENT_MAX = 40;
const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 15_000;
const STREAM = "/api/v1/events/topics/platform.events/stream";

/** The cached operations that an event makes stale, by the event's namespace. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  incident: ["incidents.", "sla.", "dashboards."],
  sla: ["sla.", "incidents."],
  change: ["changes."],
  problem: ["problems."],
  request: ["requests.", "catalog."],
  workflow: ["workflows.", "runs.", "approvals."],
  run: ["runs.", "approvals.", "workflows."],
  record: ["records.", "dashboards."],
  table: ["tables.", "records."],
  notification: ["notifications."],
  dashboard: ["dashboards."],
  user: ["users.", "auth."],
  team: ["teams."],
  workspace: ["workspaces.", "auth."],
  role: ["roles.", "auth."],
};

let state: LiveState = "connecting";
const recent: LogEvent[] = [];
const watchers = new Set<() => void>();
const listeners = new Set<(event: LogEvent) => void>();
const scope = `${place.workspace ?? ""}:${place.environment}`;
const channel = new BroadcastChannel(`millrace:${scope}`);
const stale = new Set<string>();
let burst: ReturnType<typeof setTimeout> | undefined;

channel.onmessage = ({ data }: MessageEvent<LogEvent | LiveState>) =>
  typeof data === "string" ? setState(data) : receive(data);

function setState(next: LiveState): void {
  state = next;
  for (const watcher of watchers) watcher();
}

function announce(message: LogEvent | LiveState): void {
  channel.postMessage(message);
  if (typeof message === "string") setState(message);
  else receive(message);
}

function receive(event: LogEvent): void {
  recent.unshift(event);
  recent.length = Math.min(recent.length, RECENT_MAX);
  for (const listener of listeners) listener(event);
  const [namespace = ""] = event.type.split(".");
  for (const prefix of STALE[namespace] ?? []) stale.add(prefix);
  // A burst of events is one refetch of what is on the screen; what is not is only marked.
  burst ??= setTimeout(() => {
    burst = undefined;
    invalidate([...stale]);
    stale.clear();
    for (const watcher of watchers) watcher();
  }, BURST_MS);
}

let isListening = false;

/** Listens for as long as the page lives, once. */
export function listenToLog(): void {
  if (isListening || place.workspace === undefined) return;
  isListening = true;
  void navigator.locks.request(`millrace-live:${scope}`, follow);
}

async function follow(): Promise<void> {
  let after: string | undefined;
  let waitMs = WAIT_MIN_MS;
  for (;;) {
    const opened = (): void => {
      // What happened while nobody listened is not known: everything on the screen is read again.
      if (state === "lost") invalidate([""]);
      waitMs = WAIT_MIN_MS;
      announce("live");
    };
    const outcome = await readStream(STREAM, {
      after,
      opened,
      each(frame) {
        if (frame.event === "") return;
        const event = JSON.parse(frame.data) as LogEvent;
        after = event.id;
        announce(event);
      },
    });
    if (outcome === "refused") return announce("unavailable");
    if (waitMs > WAIT_MIN_MS) announce("lost");
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
  }
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);

/** The newest events, newest first. */
export function useRecentEvents(): readonly LogEvent[] {
  useSyncExternalStore(subscribe, () => recent[0]?.id);
  return recent;
}

export function onEvent(listener: (event: LogEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
