/**
 * The way back from what was just done. The server says of a command's answer whether all that it did can be undone;
 * the toast that tells of it, and no later one, offers that.
 */
import { onToast } from "../../ui/toast.tsx";

/** A toast that follows its command comes in the same turn; one that comes later is about something else. */
const MOMENT_MS = 100;
/** Of more commands for one toast none is offered: a part of the way back would be none. */
const COMMANDS_MAX = 20;

/** Commands that were begun in one turn, or in the turn of another's answer: one act of somebody, with one toast. */
interface Act {
  /** Those that can be undone. */
  ids: readonly string[];
  isAnswered: boolean;
  /** One that followed can't be undone: the others would be a part of the way back. */
  isPart: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The act that a command of this turn belongs to. */
let current: Act | undefined;
let fresh: readonly Act[] = [];

function enter(act: Act): void {
  current = act;
  setTimeout(() => {
    if (current === act) current = undefined;
  });
}

/** A command is sent. With its answer comes its correlation, where it can be undone. */
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

/** A refusal is told next, and has no way back. */
export function forgetUndoable(): void {
  takeFresh();
}

/** What can be undone now, oldest first; nobody else has it afterwards. */
function takeFresh(): readonly string[] {
  const ids = fresh.some(({ isPart }) => isPart) ? [] : fresh.flatMap((act) => act.ids);
  for (const act of fresh) act.ids = [];
  fresh = [];
  current = undefined;
  return ids;
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
  const ids = takeFresh();
  if (ids.length === 0 || ids.length > COMMANDS_MAX) return undefined;
  const undo = find();
  const targets = ids.toReversed().map((correlationId) => ({ correlationId }));
  return undo && (() => undo(targets));
}
