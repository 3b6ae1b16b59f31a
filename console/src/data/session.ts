/** Interruptions of the session: it expired, or a second factor must be enrolled. */
import { useSyncExternalStore } from "react";
import { BASE_PATH } from "./place.ts";

export type Obstacle = "session" | "enrolment";

let obstacle: Obstacle | undefined;
/** After the first sign-in, the page may have unsaved work: the user signs in again in a dialog above it. */
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

/** Notifies all windows of this browser that a user signed in; null after a sign-out. */
export function announcePerson(userId: string | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(userId);
  channel.close();
}

/**
 * Closes this window's content when the user signs out in another window, and reloads it when another user signs
 * in.
 */
export function followPerson(userId: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data === null) location.assign(`${BASE_PATH}/login`);
    else if (data !== userId) location.reload();
  };
  return () => channel.close();
}

/** Updates the session state from a response. */
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
