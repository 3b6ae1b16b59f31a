/**
 * The keyboard's way between the canvas and the panel beside it. Fields are downloaded when they are first shown: a key
 * that is pressed before that is not lost.
 */
import { showField } from "../use-problems.ts";

const WAIT_MAX_MS = 15_000;

let giveUp: (() => void) | undefined;

/** Goes to the first field of the chosen step, as soon as it is there; any other key or press means something else. */
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
  // The key that asked for it is on its way still.
  queueMicrotask(() => {
    if (giveUp !== stop) return;
    addEventListener("keydown", stop, { capture: true });
    addEventListener("pointerdown", stop, { capture: true });
  });
}

/** The first field of the step; its name, where it has none. */
function findField(): HTMLElement | undefined {
  const fields = document.querySelectorAll<HTMLElement>(
    ".editor-side :is(input, textarea, select, .code-host)",
  );
  const [first, ...rest] = fields;
  return rest.find((one) => one.closest(".inspector-body")) ?? first;
}

/** Goes back to the step on the canvas that the panel was opened from. */
export function focusCanvas(): void {
  document.querySelector<HTMLElement>(".editor-canvas .canvas")?.focus();
}
