/**
 * Shares one event stream between all tabs. HTTP/1.1 only allows six connections per origin, so only the tab
 * holding the lock opens the stream and forwards events.
 */
import type { Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import {
  answeredAt,
  cache,
  invalidate,
  invalidateWhere,
  isBegunSince,
  type Schemas,
} from "../api.ts";
import { place } from "../place.ts";
import { beginAt, earliestPosition, firstAnswer, forgetPositions } from "./position.ts";
import { followOwnWrites } from "./own-writes.ts";
import { toReading } from "./cached-answer.ts";
import { readStream } from "./stream.ts";
import { type PendingChange, PendingChanges } from "./pending-changes.ts";

export type LogEvent = Schemas["Event"];
export type LiveState = "connecting" | "live" | "lost" | "unavailable";

/** A message between tabs; a new tab asks for the state, and the tab with the stream answers. */
type Message =
  | { readonly kind: "event"; readonly event: LogEvent }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "gap" }
  | { readonly kind: "ask" };

const BURST_MS = 150;
const RECENT_MAX = 40;
const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 15_000;
const STREAM = "/api/v1/events/topics/platform.events/stream?presence=true";
/** Reports which users are where. It is sent on the stream and not stored in the log. */
export const PRESENCE_CHANGED = "presence.changed";

let state: LiveState = "connecting";
let lastId: string | undefined;
let isListener = false;
let recent: readonly LogEvent[] = [];
const watchers = new Set<() => void>();
const listeners = new Set<(event: LogEvent) => void>();
const scope = `${place.workspace ?? ""}:${place.environment}`;
const channel = new BroadcastChannel(`millrace:${scope}`);
const pending = new PendingChanges();
let burst: ReturnType<typeof setTimeout> | undefined;

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind !== "ask") receive(data);
  else if (isListener) channel.postMessage({ kind: "state", state } satisfies Message);
};

function announce(message: Message): void {
  channel.postMessage(message);
  receive(message);
}

function receive(message: Message): void {
  if (message.kind === "event") receiveEvent(message.event);
  else if (message.kind === "gap") {
    invalidate([""]);
    for (const listener of gapListeners) listener();
  } else if (message.kind === "state") {
    state = message.state;
    for (const watcher of watchers) watcher();
  }
}

function receiveEvent(event: LogEvent): void {
  if (event.type === PRESENCE_CHANGED) {
    for (const listener of listeners) listener(event);
    return;
  }
  // Event ids sort in log order, so this skips duplicates.
  if (lastId !== undefined && event.id <= lastId) return;
  lastId = event.id;
  recent = [event, ...recent].slice(0, RECENT_MAX);
  for (const listener of listeners) listener(event);
  pending.note(event);
  // A burst of events causes one reload of visible queries; others are only marked as stale.
  burst ??= setTimeout(() => {
    burst = undefined;
    void readAgain();
    for (const watcher of watchers) watcher();
  }, BURST_MS);
}

/** The staleness rules, loaded lazily: they are not needed before the first screen is shown. */
const loadRules = () => import("./stale.ts");

/** Reloads stale queries. A hidden page waits until visible. */
async function readAgain(): Promise<void> {
  if (document.hidden || pending.size === 0) return;
  const changes = pending.take();
  try {
    const { isStaleAfter } = await loadRules();
    invalidateWhere((query) => {
      const reading = toReading(query, cache);
      return changes.some((change) => !isKnown(change, query) && isStaleAfter(change, reading));
    });
  } catch {
    // A deployment has replaced the file of the rules: everything is reloaded.
    invalidate([""]);
  }
}

/**
 * Responses requested after a command's response already include its changes, but not the later effects of log
 * consumers.
 */
function isKnown({ correlation }: PendingChange, query: Query): boolean {
  const answered = correlation === undefined ? undefined : answeredAt(correlation);
  return answered !== undefined && isBegunSince(query, answered);
}

let isStarted = false;

/** Starts the event stream once per page. */
export function listenToLog(): void {
  if (isStarted || place.workspace === undefined) return;
  isStarted = true;
  followOwnWrites(loadRules, isLive);
  channel.postMessage({ kind: "ask" } satisfies Message);
  document.addEventListener("visibilitychange", () => void readAgain());
  void loadRules().catch(() => undefined);
  // Pages over plain HTTP have no locks, so each opens its own stream.
  if ("locks" in navigator) void navigator.locks.request(`millrace-live:${scope}`, follow);
  else void follow();
}

/** Reconnects after the stream was rejected, because the user signed in again. */
export function resumeLog(): void {
  if (state !== "unavailable") return;
  isStarted = false;
  listenToLog();
}

async function follow(): Promise<void> {
  isListener = true;
  let waitMs = WAIT_MIN_MS;
  let hasBegun = state !== "connecting";
  await firstAnswer;
  for (;;) {
    // Continues after the last event, or starts at the position of the first response; also when a tab takes
    // over the stream.
    const after = lastId ?? earliestPosition();
    // Set here and not when the stream opens: an older response that arrives later can't change the requested
    // position.
    beginAt(after);
    const opened = (): void => {
      // Without a position, events since the first response may be missing.
      if (after === undefined) announce({ kind: "gap" });
      hasBegun = true;
      waitMs = WAIT_MIN_MS;
      announce({ kind: "state", state: "live" });
    };
    const outcome = await readStream(STREAM, {
      after,
      opened,
      each(frame) {
        if (frame.event === "") return;
        const data = JSON.parse(frame.data) as object;
        const event =
          frame.event === PRESENCE_CHANGED ? { id: "", type: PRESENCE_CHANGED, data } : data;
        announce({ kind: "event", event: event as LogEvent });
      },
    });
    if (outcome === "refused") {
      // Everything is reloaded, so that a session that was ended elsewhere is detected. A cursor that is too
      // old is also rejected: the stream then starts at the current position.
      if (hasBegun) announce({ kind: "gap" });
      if (lastId === undefined) return announce({ kind: "state", state: "unavailable" });
      lastId = undefined;
      forgetPositions();
    } else if (waitMs > WAIT_MIN_MS) announce({ kind: "state", state: "lost" });
    await waitFor(waitMs);
    waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
  }
}

/** Resolves after the given time, or earlier if the browser goes online. */
function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Returns whether this page receives events. */
export const isLive = (): boolean => state === "live";

export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);

/** Returns the latest events, newest first. */
export const useRecentEvents = (): readonly LogEvent[] =>
  useSyncExternalStore(subscribe, () => recent);

export function onEvent(listener: (event: LogEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const gapListeners = new Set<() => void>();

/** For data outside the cache: called to reload it after events were lost. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => gapListeners.delete(listener);
}
