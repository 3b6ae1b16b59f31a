/** Changes that show before the server has said yes, and the way back from them. */
import { notify } from "../ui/toast.tsx";
import { ApiError } from "./api.ts";
import { findWayBack } from "./undo/way-back.ts";

export interface Change {
  /** Shows the change at once; what it returns takes it back. */
  readonly show?: () => () => void;
  readonly send: () => Promise<unknown>;
  /** The sentence about it, as in "INC0000012 is yours". */
  readonly said: string;
  /** The operation that is its inverse, where the server has no way back by itself. */
  readonly undo?: () => Promise<unknown>;
}

/** Shows a change, sends it, and offers its inverse; what was refused is taken back with the server's sentence. */
export async function applyChange({ show, send, said, undo }: Change): Promise<boolean> {
  const takeBack = show?.();
  try {
    await send();
    const invert =
      undo && (() => void undo().catch((error: unknown) => notify(describeRefusal(error))));
    notify(said, findWayBack() ?? invert);
    return true;
  } catch (error) {
    takeBack?.();
    notify(describeRefusal(error));
    return false;
  }
}

const CONFLICT =
  "It was changed by someone else since you opened it. Your change was not saved; review theirs first.";

const SIGNED_OUT = "Your session had ended, so your change was not saved. Try again.";

/** Words for a refusal: a version that is no longer the newest is told as what it means. */
export function describeRefusal(error: unknown): string {
  if (error instanceof ApiError && error.status === 412) return CONFLICT;
  if (error instanceof ApiError && error.status === 401) return SIGNED_OUT;
  return error instanceof Error ? error.message : String(error);
}

/** Says whether a write was refused because somebody else was first. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 412;
