/**
 * An action is declared where it happens; its declaration is the key, the palette's entry, the tooltip and the line of
 * the sheet of keys.
 */
import { useEffect, useRef } from "react";
import { notify } from "../ui/toast.tsx";
import { type Ask, ask } from "./keys/asked-action.ts";
import { hasLostField, isSingleKey, isTyping } from "./keys/focus-guard.ts";
import { HeldKeys } from "./held-keys.ts";

export interface Action {
  /** As `mod+s`, `shift+Tab`, `g i` or `j`. */
  readonly keys?: string;
  readonly label: string;
  /** Other words for it, by which the palette finds it too. */
  readonly also?: string;
  readonly run: () => void;
  /** Also fires while a field has the focus. */
  readonly always?: boolean;
  /** Says why it can't be done now. It is shown, and does not run. */
  readonly disabled?: string | undefined;
  /** Fires only while the focus is inside of what this selector names, as the canvas, or nowhere. */
  readonly within?: string;
  /** The question before it runs: for what one key must not start, because it can't be undone. */
  readonly asks?: Ask;
  /** Its key is only shown: the browser's own event carries it, as a copy or a paste. */
  readonly native?: boolean;
  /** Neither in the palette nor in the sheet, as the keys that walk a list. */
  readonly hidden?: boolean;
}

type ActionRef = React.RefObject<readonly Action[]>;

const SEQUENCE_MS = 900;
const screens = new Set<ActionRef>();
const frames = new Set<ActionRef>();
let pending = "";
let pendingAtMs = 0;

const held = new HeldKeys(runKeys);
/** Something of the screen is still to come, and with it the acts that a key is for. */
const LOADING = "#main .loading";
/** Long enough for a screen to be drawn and to declare its acts. */
const HELD_STEP_MS = 32;
/** So long after nothing loads any more, a key that is for nothing is for nothing. */
const SETTLED_MS = 250;
let isHeld = true;

/** Keeps what is pressed before a screen and its rights are known, and gives it to them when they are. */
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

/** Tries again and again: the first key may open the screen that the second is for, which takes a while to be there. */
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

/** Declares the actions of a screen while it is shown. */
export function useActions(actions: readonly Action[]): void {
  useDeclared(screens, actions);
}

/** Declares what can be done on every screen; what a screen declares itself goes before. */
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

/** The actions that can be done now: those of the newest screen first, those of every screen last. */
export function currentActions(): readonly Action[] {
  return [...screenActions(), ...frameActions()];
}

export const screenActions = (): readonly Action[] =>
  [...screens].toReversed().flatMap((ref) => ref.current);

export const frameActions = (): readonly Action[] => [...frames].flatMap((ref) => ref.current);

/** The keys that a button, a link or a summary uses itself. */
const BUTTON_KEYS = /^(Enter|Space|(shift\+)?Tab|Delete|Backspace|Arrow\w+)$/;

function isWithin(target: EventTarget | null, { within, keys = "" }: Action): boolean {
  if (!(target instanceof Element) || target === document.body) return true;
  if (within === undefined) return !BUTTON_KEYS.test(keys) || !isFrameControl(target);
  // The frame around it has the focus after a change of screen.
  if (target.querySelector(within) !== null) return true;
  if (target.closest(within) === null) return false;
  return !BUTTON_KEYS.test(keys) || target.closest("button, a, summary") === null;
}

/** A button or link outside of the screen, in the menu or the top bar: Enter is its own. */
const isFrameControl = (target: Element): boolean =>
  target.closest("button, a, summary") !== null && target.closest("#main") === null;

/** The name of a key press: signs without shift, since it is what makes them. */
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
    // Older keys are dropped: the person has moved to another screen.
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
  // The rest of a word must not become shortcuts when its field goes away.
  !(isSingleKey(event) && hasLostField(event.target));

/** Does what these keys are for, or says why it can't be done; false where they are for nothing. */
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

/** Runs an action, asks before one that can't be undone, or says why it can't be done. */
export function startAction({ run, asks, disabled }: Action): void {
  if (disabled !== undefined) notify(disabled);
  else if (asks) ask(asks, run);
  else run();
}

addEventListener("keydown", onKeyDown);
// A press elsewhere and a way back are another wish.
addEventListener("pointerdown", () => held.drop());
addEventListener("popstate", () => held.drop());
