/** Obstacles between a person and the workspace: a session that is over, or a second factor that must be enrolled. */
import { useSyncExternalStore } from "react";
import { BASE_PATH } from "./place.ts";

export type Obstacle = "session" | "enrolment";

let obstacle: Obstacle | undefined;
/** Once somebody is inside, work may be unsaved on the page: they sign in above it, and it stays. */
let isInside = false;
const watchers = new Set<() => void>();

function set(next: Obstacle | undefined): void {
  if (obstacle === next) return;
  obstacle = next;
  for (const watcher of watchers) watcher();
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export const useObstacle = (): Obstacle | undefined =>
  useSyncExternalStore(subscribe, () => obstacle);

export const clearObstacle = (): void => set(undefined);

export function enterInside(): void {
  isInside = true;
}

const CHANNEL = "millrace:session";

/** Tells all windows of this browser who has signed in; null for nobody any more. */
export function announcePerson(userId: string | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(userId);
  channel.close();
}

/**
 * What a window shows is of one person. It goes when they sign out in another one, and begins anew with somebody else.
 */
export function followPerson(userId: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data === null) location.assign(`${BASE_PATH}/login`);
    else if (data !== userId) location.reload();
  };
  return () => channel.close();
}

/** Takes note of what an answer says about the session. */
export function noteAnswer(status: number, code: string | undefined): void {
  if (code === "mfa_enrollment_required") set("enrolment");
  if (status !== 401) return;
  if (isInside) set("session");
  else leaveForSignIn();
}

function leaveForSignIn(): void {
  const signIn = `${BASE_PATH}/login`;
  if (location.pathname === signIn) return;
  const from = `${location.pathname}${location.search}${location.hash}`;
  const isHome = from === `${BASE_PATH}/`;
  location.assign(isHome ? signIn : `${signIn}?from=${encodeURIComponent(from)}`);
}
