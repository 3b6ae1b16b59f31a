/**
 * One stream of the log for all tabs of a browser. HTTP/1.1 gives an origin six connections, and a stream holds one for
 * good: so the tab that holds the lock listens, and tells the others.
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

/** A message between tabs; a new one asks, and the one that listens says how it is. */
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
/** Says who is where. It is on the stream and not in the log. */
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
  // Ids sort as the log does: what a tab has heard already is not told twice.
  if (lastId !== undefined && event.id <= lastId) return;
  lastId = event.id;
  recent = [event, ...recent].slice(0, RECENT_MAX);
  for (const listener of listeners) listener(event);
  pending.note(event);
  // A burst of events is one refetch of what is on the screen; what is not is only marked.
  burst ??= setTimeout(() => {
    burst = undefined;
    void readAgain();
    for (const watcher of watchers) watcher();
  }, BURST_MS);
}

/** What an event makes stale, loaded beside the first screen: nothing has happened before that is shown. */
const loadRules = () => import("./stale.ts");

/** Reads again what is stale; a page that nobody sees does it when somebody does. */
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
    // A newer console took its place on the server: whatever it is, it is read.
    invalidate([""]);
  }
}

/**
 * What a command of this page did is known to all that was asked after its answer. What readers of the log make of it
 * is not.
 */
function isKnown({ correlation }: PendingChange, query: Query): boolean {
  const answered = correlation === undefined ? undefined : answeredAt(correlation);
  return answered !== undefined && isBegunSince(query, answered);
}

let isStarted = false;

/** Listens for as long as the page lives, once. */
export function listenToLog(): void {
  if (isStarted || place.workspace === undefined) return;
  isStarted = true;
  followOwnWrites(loadRules, isLive);
  channel.postMessage({ kind: "ask" } satisfies Message);
  document.addEventListener("visibilitychange", () => void readAgain());
  void loadRules().catch(() => undefined);
  // A page that came over plain HTTP has no locks, and listens for itself.
  if ("locks" in navigator) void navigator.locks.request(`millrace-live:${scope}`, follow);
  else void follow();
}

/** Listens again after the stream was refused: somebody has signed in anew. */
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
    // It goes on after the last event, or begins where the first answer was read: also in a tab that takes over from
    // another one.
    const after = lastId ?? earliestPosition();
    // From here, and not from its opening: an older answer that comes meanwhile can't move what is asked for already.
    beginAt(after);
    const opened = (): void => {
      // Without either, what happened meanwhile is not known.
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
      // Everything is read again, by which a session that was ended elsewhere is known to be over. A cursor that is too
      // old is refused as well: the log is followed from now on.
      if (hasBegun) announce({ kind: "gap" });
      if (lastId === undefined) return announce({ kind: "state", state: "unavailable" });
      lastId = undefined;
      forgetPositions();
    } else if (waitMs > WAIT_MIN_MS) announce({ kind: "state", state: "lost" });
    await waitFor(waitMs);
    waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
  }
}

/** Waits, or until the browser says that there is a network again. */
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

/** Says whether the log tells this page what happens. */
export const isLive = (): boolean => state === "live";

export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);

/** The newest events, newest first. */
export const useRecentEvents = (): readonly LogEvent[] =>
  useSyncExternalStore(subscribe, () => recent);

export function onEvent(listener: (event: LogEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const gapListeners = new Set<() => void>();

/** For what is kept outside of the cache: events were lost, so it is read again. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => gapListeners.delete(listener);
}
