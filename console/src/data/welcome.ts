/**
 * The welcome for the first owner: their goal, the samples created for it, and suggested next steps. This browser
 * stores the steps; the account stores whether the welcome was shown.
 */
import { useSyncExternalStore } from "react";
import { place } from "./place.ts";

export interface NextStep {
  readonly label: string;
  /** A console path or a server-rendered page. */
  readonly to: string;
  readonly isPage?: boolean;
  /**
   * The condition that completes the step: an event with this data, or a visit to a path. Default: a visit to the
   * path of `to`.
   */
  readonly doneBy?: DoneBy;
}

export type DoneBy =
  | { readonly event: string; readonly data: Readonly<Record<string, string>> }
  | { readonly visit: string };

interface SeenEvent {
  readonly type: string;
  readonly data?: unknown;
}

/**
 * Returns whether this location or event completes a step. Guides open in a new tab, so opening one completes its
 * step.
 */
export function isCompletedBy(
  { to, isPage, doneBy }: NextStep,
  seen: { readonly path: string } | { readonly event: SeenEvent },
): boolean {
  if ("event" in seen) {
    if (doneBy === undefined || !("event" in doneBy)) return false;
    const data = (seen.event.data ?? {}) as Readonly<Record<string, unknown>>;
    const isSame = Object.entries(doneBy.data).every(([name, value]) => data[name] === value);
    return seen.event.type === doneBy.event && isSame;
  }
  if (doneBy !== undefined) return "visit" in doneBy && seen.path.startsWith(doneBy.visit);
  return isPage !== true && seen.path === to.split("?")[0];
}

export interface WelcomeState {
  readonly intent: string;
  readonly steps: readonly NextStep[];
  readonly done: readonly string[];
}

const KEY = `millrace.welcome.${place.workspace ?? ""}`;
const watchers = new Set<() => void>();
let state: WelcomeState | undefined = read();

function read(): WelcomeState | undefined {
  if (typeof localStorage === "undefined") return undefined;
  try {
    const text = localStorage.getItem(KEY);
    return text === null ? undefined : (JSON.parse(text) as WelcomeState);
  } catch {
    return undefined;
  }
}

export function saveWelcome(next: WelcomeState): void {
  state = next;
  localStorage.setItem(KEY, JSON.stringify(next));
  for (const watcher of watchers) watcher();
}

export const WELCOME_PREFERENCE = { params: { key: "console.welcome" } } as const;

export const useWelcome = (): WelcomeState | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );

/** The default name of the first owner until they change it. */
const MADE_UP_NAME = "Administrator";

interface Person {
  readonly user: { readonly name: string };
  readonly roles: readonly string[];
}

/** Returns whether to show the welcome: only to the first owner, and only once. */
export function isFirstRun(me: Person | undefined, welcome: WelcomeState | undefined): boolean {
  return (
    me !== undefined &&
    welcome === undefined &&
    me.user.name === MADE_UP_NAME &&
    me.roles.includes("owner")
  );
}
