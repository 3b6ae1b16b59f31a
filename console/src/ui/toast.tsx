import { useLayoutEffect, useRef, useSyncExternalStore } from "react";

const SHOWN_MS = 4_000;
const UNDO_MS = 8_000;
const REFUSED_MS = 16_000;
const TOASTS_MAX = 3;
/** The maximum number of displayed reasons; others are counted. */
const REASONS_MAX = 4;

type Act = () => void;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly reasons?: readonly string[];
  readonly act: Act | undefined;
  readonly label?: string;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
let findWayBack: () => Act | undefined = () => undefined;
const watchers = new Set<() => void>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}

const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

/** Keeps the toast while the pointer or the focus is on it. */
const keep = (id: number): void => clearTimeout(timers.get(id));

function dismissIn(id: number, ms: number): void {
  keep(id);
  const ended = (): void => {
    timers.delete(id);
    dismiss(id);
  };
  timers.set(id, setTimeout(ended, ms));
}

function show(toast: Omit<Toast, "id">, ms: number): void {
  const id = (lastId += 1);
  set([...toasts.slice(1 - TOASTS_MAX), { ...toast, id }]);
  dismissIn(id, ms);
}

/** Lets the data layer provide undo for toasts. */
export function onToast(find: () => Act | undefined): void {
  findWayBack = find;
}

/**
 * Shows a toast with undo: the given function, or the server's undo for the last command. After an undo, `label`
 * is "Redo".
 */
export function notify(text: string, undo?: Act, label = "Undo"): void {
  const found = findWayBack();
  const act = undo ?? found;
  show({ text, act, label }, act ? UNDO_MS : SHOWN_MS);
}

interface Refusal {
  readonly text: string;
  readonly reasons: readonly string[];
  /** An alternative action. */
  readonly rest?: { readonly label: string; readonly act: Act };
}

/** Shows an error with one reason per line. */
export function notifyRefusal({ text, reasons, rest }: Refusal): void {
  const more = reasons.length - REASONS_MAX;
  const told = [...reasons.slice(0, REASONS_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  show({ text, reasons: told, act: rest?.act, ...(rest && { label: rest.label }) }, REFUSED_MS);
}

/** Runs the newest available undo; returns false if undo is unavailable. */
export function takeWayBack(): boolean {
  const offered = toasts.findLast(({ act }) => act !== undefined);
  if (!offered) return false;
  dismiss(offered.id);
  offered.act?.();
  return true;
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Moves toasts above the open dialog: both are in the top layer. */
function raise(box: HTMLElement | null, isShown: boolean): void {
  if (!box) return;
  if (box.popover !== null) box.hidePopover();
  box.popover = isShown && document.querySelector("dialog:modal") ? "manual" : null;
  if (box.popover !== null) box.showPopover();
}

/** Marks inputs and buttons at the bottom of a screen: toasts are shown above them. */
const KEPT_CLEAR = "[data-toasts-above]";
const GAP_PX = 12;

function place(box: HTMLElement | null): void {
  if (!box) return;
  const tops = [...document.querySelectorAll(KEPT_CLEAR)]
    .map((one) => one.getBoundingClientRect())
    .filter(({ height }) => height > 0)
    .map(({ top }) => top);
  const isBelowDialog = document.querySelector("dialog:modal") !== null;
  box.style.bottom =
    tops.length === 0 || isBelowDialog ? "" : `${innerHeight - Math.min(...tops) + GAP_PX}px`;
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    raise(box.current, shown.length > 0);
    place(box.current);
  }, [shown]);
  return (
    <div ref={box} className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, reasons, act, label = "Undo" }) => {
        const leave = (): void => dismissIn(id, SHOWN_MS);
        return (
          <div
            key={id}
            className="toast"
            onPointerEnter={() => keep(id)}
            onPointerLeave={leave}
            onFocus={() => keep(id)}
            onBlur={leave}
          >
            <div>
              {text}
              {reasons?.map((reason) => (
                <div key={reason}>{reason}</div>
              ))}
            </div>
            {act && (
              <button
                onClick={() => {
                  dismiss(id);
                  act();
                }}
              >
                {label}
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
}
