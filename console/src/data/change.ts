/** Optimistic changes, with undo. */
import { notify } from "../ui/toast.tsx";
import { ApiError } from "./api.ts";
import { findWayBack } from "./undo/way-back.ts";

export interface Change {
  /** Applies the change optimistically; returns a function that reverts it. */
  readonly show?: () => () => void;
  readonly send: () => Promise<unknown>;
  /** The message of the toast, such as "INC0000012 is yours". */
  readonly said: string;
  /** The inverse operation, where the server does not offer undo. */
  readonly undo?: () => Promise<unknown>;
}

/** Applies a change optimistically, sends it and offers undo; a rejected change is reverted and the error is shown. */
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
  "Another user changed this since you opened it. Your change was not saved. Review the latest version.";

const SIGNED_OUT = "Your session expired and your change was not saved. Try again.";

/** Describes an error for users; a failed precondition is described as another user's change. */
export function describeRefusal(error: unknown): string {
  if (error instanceof ApiError && error.status === 412) return CONFLICT;
  if (error instanceof ApiError && error.status === 401) return SIGNED_OUT;
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether a write failed because another user was first. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 412;
