/**
 * An action is declared once, where it is used; from this declaration come its shortcut, its palette entry, its
 * tooltip and its line in the shortcut list.
 */
import { useEffect, useRef } from "react";
import { notify } from "../ui/toast.tsx";
import { type Ask, ask } from "./keys/asked-action.ts";
import { hasLostField, isSingleKey, isTyping } from "./keys/focus-guard.ts";
import { HeldKeys } from "./held-keys.ts";

export interface Action {
  /** Keys such as `mod+s`, `shift+Tab`, `g i` or `j`. */
  readonly keys?: string;
  readonly label: string;
  /** Synonyms for the search in the palette. */
  readonly also?: string;
  readonly run: () => void;
  /** Also active while a text field has the focus. */
  readonly always?: boolean;
  /** The reason why the action is disabled. It is shown, and the action does not run. */
  readonly disabled?: string | undefined;
  /** Only active while the focus is inside this selector, such as the canvas, or nowhere. */
  readonly within?: string;
  /** The confirmation for actions that can't be undone and must not start with a single key. */
  readonly asks?: Ask;
  /** The shortcut is only displayed: the browser's own event handles it, such as copy or paste. */
  readonly native?: boolean;
  /** Not listed in the palette and the shortcut list, such as keys that move in a list. */
  readonly hidden?: boolean;
}

type ActionRef = React.RefObject<readonly Action[]>;

const SEQUENCE_MS = 900;
const screens = new Set<ActionRef>();
const frames = new Set<ActionRef>();
let pending = "";
let pendingAtMs = 0;

const held = new HeldKeys(runKeys);
/** A part of the screen is loading, and its actions are not declared yet. */
const LOADING = "#main .loading";
/** Long enough for a screen to render and declare its actions. */
const HELD_STEP_MS = 32;
/** After this time without loading, unknown shortcuts are dropped. */
const SETTLED_MS = 250;
let isHeld = true;

/** Holds shortcuts pressed before a screen and its permissions are loaded, and runs them afterwards. */
export function useHeldKeys(isWaiting: boolean): void {
  useEffect(() => {
    isHeld = isWaiting;
    if (isWaiting) return undefined;
    timer = setTimeout(releaseKeys, HELD_STEP_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
}

let timer: ReturnType<typeof setTimeout> | undefined;
let settledAtMs: number | undefined;

const isLoading = (): boolean => isHeld || document.querySelector(LOADING) !== null;

/** Retries regularly: the first shortcut may open the screen for the second, which takes time to load. */
function releaseKeys(): void {
  clearTimeout(timer);
  if (isHeld || held.isEmpty) return;
  const nowMs = performance.now();
  settledAtMs = isLoading() ? undefined : (settledAtMs ?? nowMs);
  const isSettled = settledAtMs !== undefined && nowMs - settledAtMs > SETTLED_MS;
  held.release(nowMs, isSettled);
  if (held.isEmpty) settledAtMs = undefined;
  else timer = setTimeout(releaseKeys, HELD_STEP_MS);
}

function runKeys(event: KeyboardEvent, keys: string): boolean {
  return isFree(event) && runAction(event, keys);
}

/** Registers a screen's actions while displayed. */
export function useActions(actions: readonly Action[]): void {
  useDeclared(screens, actions);
}

/** Declares the actions of every screen; actions of the current screen take precedence. */
export function useFrameActions(actions: readonly Action[]): void {
  useDeclared(frames, actions);
}

function useDeclared(declared: Set<ActionRef>, actions: readonly Action[]): void {
  const ref = useRef(actions);
  useEffect(() => {
    ref.current = actions;
  });
  useEffect(() => {
    declared.add(ref);
    return () => {
      declared.delete(ref);
    };
  }, [declared]);
}

/** Returns the available actions: actions of the newest screen first, global actions last. */
export function currentActions(): readonly Action[] {
  return [...screenActions(), ...frameActions()];
}

export const screenActions = (): readonly Action[] =>
  [...screens].toReversed().flatMap((ref) => ref.current);

export const frameActions = (): readonly Action[] => [...frames].flatMap((ref) => ref.current);

/** Keys that a focused button, link or summary handles itself. */
const BUTTON_KEYS = /^(Enter|Space|(shift\+)?Tab|Delete|Backspace|Arrow\w+)$/;

function isWithin(target: EventTarget | null, { within, keys = "" }: Action): boolean {
  if (!(target instanceof Element) || target === document.body) return true;
  if (within === undefined) return !BUTTON_KEYS.test(keys) || !isFrameControl(target);
  // After a change of screen, the surrounding frame has the focus.
  if (target.querySelector(within) !== null) return true;
  if (target.closest(within) === null) return false;
  return !BUTTON_KEYS.test(keys) || target.closest("button, a, summary") === null;
}

/** A button or link in the menu or top bar handles Enter itself. */
const isFrameControl = (target: Element): boolean =>
  target.closest("button, a, summary") !== null && target.closest("#main") === null;

/** Returns the name of a key press. Punctuation omits `shift`, because the character depends on it. */
export function nameKey(event: KeyPress): string {
  const isSign = event.key.length === 1;
  const isLetter = isSign && event.key.toLowerCase() !== event.key.toUpperCase();
  const mod = event.metaKey || event.ctrlKey;
  const shift = event.shiftKey && (!isSign || isLetter || mod);
  const key = event.key === " " ? "Space" : isSign ? event.key.toLowerCase() : event.key;
  return `${mod ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}

type KeyPress = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = nameKey(event);
  const isSequence = pending !== "" && event.timeStamp - pendingAtMs < SEQUENCE_MS;
  const wanted = isSequence ? [`${pending} ${key}`, key] : [key];
  if (wanted.some((keys) => runAction(event, keys))) {
    event.preventDefault();
    pending = "";
    // Drops held shortcuts, because the user has moved to another screen.
    held.drop();
    return;
  }
  if (isFree(event) && isLoading()) {
    held.add(event, key);
    clearTimeout(timer);
    timer = setTimeout(releaseKeys, HELD_STEP_MS);
  }
  pending = isTyping(event.target) ? "" : key;
  pendingAtMs = event.timeStamp;
}

const isFree = (event: KeyboardEvent): boolean =>
  !isTyping(event.target) &&
  document.querySelector("dialog:modal") === null &&
  // If a text field is removed during typing, the following letters must not run shortcuts.
  !(isSingleKey(event) && hasLostField(event.target));

/** Runs the action of a shortcut, or shows why it is disabled; returns false for unknown shortcuts. */
function runAction(event: KeyboardEvent, keys: string): boolean {
  const action = currentActions().find(
    (one) => one.keys === keys && !one.native && isWithin(event.target, one),
  );
  if (!action || (!action.always && !isFree(event))) return false;
  // Before the session is loaded, permissions are unknown.
  if (isHeld && action.disabled !== undefined) return false;
  startAction(action);
  return true;
}

/** Runs an action, asks for confirmation first, or shows why it is disabled. */
export function startAction({ run, asks, disabled }: Action): void {
  if (disabled !== undefined) notify(disabled);
  else if (asks) ask(asks, run);
  else run();
}

addEventListener("keydown", onKeyDown);
// A click or browser navigation means that the user wants something else.
addEventListener("pointerdown", () => held.drop());
addEventListener("popstate", () => held.drop());
