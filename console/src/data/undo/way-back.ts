/**
 * Undo for the last user action. The response of a command contains whether all its effects can be undone; the
 * toast for that command, and no later one, offers it.
 */
import { onToast } from "../../ui/toast.tsx";

/** A toast belongs to a command if it appears within this time of the response. */
const MOMENT_MS = 100;
/** With more commands for one toast, undo is not offered, because a partial undo would be wrong. */
const COMMANDS_MAX = 20;

/** The commands started in the same turn, or in the turn of an earlier response: one user action with one toast. */
interface Act {
  /** The commands that can be undone. */
  ids: readonly string[];
  isAnswered: boolean;
  /** True if a later command can't be undone: undoing the earlier ones would be a partial undo. */
  isPart: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The current user action. Commands of this turn are added to it. */
let current: Act | undefined;
let fresh: readonly Act[] = [];

function enter(act: Act): void {
  current = act;
  setTimeout(() => {
    if (current === act) current = undefined;
  });
}

/** Records the start of a command. The returned function records its correlation id, if it can be undone. */
export function beginCommand(): (correlationId: string | undefined) => void {
  const act = current ?? { ids: [], isAnswered: false, isPart: false, timer: undefined };
  const isFollowing = act.isAnswered;
  enter(act);
  return (correlationId) => {
    act.isAnswered = true;
    enter(act);
    if (correlationId !== undefined) act.ids = [...act.ids, correlationId];
    else if (isFollowing) act.isPart = true;
    clearTimeout(act.timer);
    fresh = [...fresh.filter((one) => one !== act), act];
    act.timer = setTimeout(() => {
      fresh = fresh.filter((one) => one !== act);
    }, MOMENT_MS);
  };
}

/** Called before an error is shown: error toasts do not offer undo. */
export function forgetUndoable(): void {
  takeFresh();
}

/** Returns and clears the commands that can be undone, oldest first. */
function takeFresh(): readonly string[] {
  const ids = fresh.some(({ isPart }) => isPart) ? [] : fresh.flatMap((act) => act.ids);
  for (const act of fresh) act.ids = [];
  fresh = [];
  current = undefined;
  return ids;
}

/** Undoes commands in this order. */
export type Undo = (targets: readonly { readonly correlationId: string }[]) => void;

let find: () => Undo | undefined = () => undefined;

/** Enables undo in toasts; users without permission get no undo action. */
export function offerWaysBack(findUndo: () => Undo | undefined): void {
  find = findUndo;
  onToast(findWayBack);
}

/** Returns undo for the most recent commands; the first caller consumes them. */
function findWayBack(): (() => void) | undefined {
  const ids = takeFresh();
  if (ids.length === 0 || ids.length > COMMANDS_MAX) return undefined;
  const undo = find();
  const targets = ids.toReversed().map((correlationId) => ({ correlationId }));
  return undo && (() => undo(targets));
}
