import { notify, notifyRefusal } from "../../ui/toast.tsx";
import { count, splitWords } from "../../ui/words.ts";
import { ApiError, call, correlationOf, invalidate, useOp } from "../api.ts";
import { describeRefusal } from "../change.ts";
import { isLive } from "../live/live.ts";
import { useMay } from "../people.ts";

type Target = { readonly eventId: string } | { readonly correlationId: string };

/** Returns an undo function for a command, for toasts that appear later than its response. */
export function undoOf(reply: unknown): (() => void) | undefined {
  const correlationId = correlationOf(reply);
  return correlationId === undefined ? undefined : () => void undoChanges([{ correlationId }]);
}

interface UndoOptions {
  readonly onConflict?: "skip";
  /** The operations are undos themselves. */
  readonly isRedo?: boolean;
}

/** Undoes operations in this order and shows the result, with an action that reverts it. */
export async function undoChanges(
  targets: readonly Target[],
  options: UndoOptions = {},
): Promise<void> {
  const { onConflict, isRedo = false } = options;
  let things = 0;
  let skipped = 0;
  const undoings: Target[] = [];
  for (const [n, target] of targets.entries()) {
    try {
      const body = { ...target, ...(onConflict && { onConflict }) };
      const { data } = await call("undo.perform", { body });
      things += data.things;
      skipped += data.conflictCount;
      if (data.things > 0) undoings.unshift({ correlationId: data.correlationId });
    } catch (error) {
      if (!isRefused(error)) return notify(describeRefusal(error));
      return tellRefusal(
        error,
        () => void undoChanges(targets.slice(n), { ...options, onConflict: "skip" }),
      );
    }
  }
  // Without an event stream, everything must be reloaded.
  if (!isLive()) invalidate([""]);
  const left =
    skipped > 0
      ? ` ${count(skipped, "value")} changed by other users since then stayed unchanged.`
      : "";
  if (things === 0)
    return notify(left === "" ? "Nothing to undo. The values already match." : left.trim());
  const revert = (): void => void undoChanges(undoings, { isRedo: !isRedo });
  const done = `${isRedo ? "Redone" : "Undone"}: ${count(things, "change")}.${left}`;
  return notify(done, revert, isRedo ? "Undo" : "Redo");
}

const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === "undo_refused";

/** Lists each field that prevents the undo, with the reason. */
function tellRefusal(error: ApiError, undoRest: () => void): void {
  const reasons = error.errors.map(({ path, message }) => {
    const [, type = "", , field] = path.split("/");
    const name = (field ?? type).replace(/(?<=.)Ids?$/, "");
    return `${splitWords(name)} ${message}.`;
  });
  const rest = { label: "Undo the other changes", act: undoRest };
  notifyRefusal({ text: "Nothing was undone.", reasons, rest });
}

/** Returns whether the current user can undo events of a type. */
export function useUndoable(): (type: string) => boolean {
  const may = useMay()("undo.list_types");
  // They change only with a new version of the platform.
  const options = { enabled: may, staleTime: Number.POSITIVE_INFINITY };
  const types = useOp("undo.list_types", undefined, options).data?.data.types;
  return (type) => may && types?.includes(type) === true;
}
