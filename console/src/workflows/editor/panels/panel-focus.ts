/**
 * Moves focus between the canvas and the side panel. Field components load on first use: a shortcut pressed before
 * that is not lost.
 */
import { showField } from "../use-problems.ts";

const WAIT_MAX_MS = 15_000;

let giveUp: (() => void) | undefined;

/** Focuses the first field of the selected step once it is rendered. Any other key press or click cancels this. */
export function focusFields(): void {
  giveUp?.();
  const until = performance.now() + WAIT_MAX_MS;
  let frame = 0;
  const stop = (): void => {
    giveUp = undefined;
    cancelAnimationFrame(frame);
    removeEventListener("keydown", stop, { capture: true });
    removeEventListener("pointerdown", stop, { capture: true });
  };
  const look = (): void => {
    const field = findField();
    if (!field && performance.now() < until) {
      frame = requestAnimationFrame(look);
      return;
    }
    stop();
    if (field) showField(field);
  };
  look();
  if (frame === 0) return;
  giveUp = stop;
  // Deferred: the key press that triggered this is still being dispatched.
  queueMicrotask(() => {
    if (giveUp !== stop) return;
    addEventListener("keydown", stop, { capture: true });
    addEventListener("pointerdown", stop, { capture: true });
  });
}

/** The first field of the step, or its name if it has none. */
function findField(): HTMLElement | undefined {
  const fields = document.querySelectorAll<HTMLElement>(
    ".editor-side :is(input, textarea, select, .code-host)",
  );
  const [first, ...rest] = fields;
  return rest.find((one) => one.closest(".inspector-body")) ?? first;
}

/** Focuses the step on the canvas that opened the panel. */
export function focusCanvas(): void {
  document.querySelector<HTMLElement>(".editor-canvas .canvas")?.focus();
}
