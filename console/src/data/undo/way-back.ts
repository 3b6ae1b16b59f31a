/**
 * The way back from what was just done. The server says of a command's answer whether all that it did can be undone; the
 * toast that tells of it, and no later one, offers that.
 */
import { onToast } from "../../ui/toast.tsx";

/** A toast that follows its command comes in the same turn; one that comes later is about something else. */
const MOMENT_MS = 100;
/** Of more commands for one toast none is offered: a part of the way back would be none. */
const COMMANDS_MAX = 20;

let fresh: readonly string[] = [];

/** Notes a command by its correlation, which can be undone. */
export function noteUndoable(correlationId: string): void {
  fresh = [...fresh, correlationId];
  setTimeout(() => {
    fresh = fresh.filter((one) => one !== correlationId);
  }, MOMENT_MS);
}

/** A refusal is told next, and has no way back. */
export function forgetUndoable(): void {
  fresh = [];
}

/** Undoes commands, in this order. */
export type Undo = (targets: readonly { readonly correlationId: string }[]) => void;

let find: () => Undo | undefined = () => undefined;

/** Offers ways back to toasts; to those who may not undo, there is none to be found. */
export function offerWaysBack(findUndo: () => Undo | undefined): void {
  find = findUndo;
  onToast(findWayBack);
}

/** The way back from what was done in this moment; whoever asks first has it. */
export function findWayBack(): (() => void) | undefined {
  const ids = fresh;
  fresh = [];
  if (ids.length === 0 || ids.length > COMMANDS_MAX) return undefined;
  const undo = find();
  const targets = ids.toReversed().map((correlationId) => ({ correlationId }));
  return undo && (() => undo(targets));
}
