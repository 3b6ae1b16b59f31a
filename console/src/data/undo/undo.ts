import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { ApiError, call, correlationOf } from "../api.ts";
import { useEventKinds } from "./event-kinds.ts";
import { useMay } from "../people.ts";

type Target = { readonly eventId: string } | { readonly correlationId: string };

/** The way back from what a command did, for the toast that tells of it. */
export function undoOf(reply: unknown): (() => void) | undefined {
  const correlationId = correlationOf(reply);
  return correlationId === undefined ? undefined : () => void undoChanges({ correlationId });
}

/** Undoes what was done and tells how it went; the undo can be undone too. */
export async function undoChanges(target: Target): Promise<void> {
  try {
    const reply = await call("undo.perform", { body: target });
    const { things } = reply.data;
    if (things === 0) return notify("It is as it was before already.");
    notify(`Undone: ${count(things, "change")}.`, undoOf(reply));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "undo_refused") return notifyError(error);
    const [first] = error.errors;
    const field = first?.path.split("/").at(-1) ?? "";
    const more = error.errors.length - 1;
    const rest = more > 0 ? `, and ${count(more, "more conflict")}` : "";
    notify(`Nothing was undone: ${field} ${first?.message ?? error.message}${rest}.`);
  }
}

/** Says which types of events can be undone by whoever is signed in. */
export function useUndoable(): (type: string) => boolean {
  const may = useMay();
  const kinds = useEventKinds() ?? [];
  if (!may("undo:write")) return () => false;
  const types = new Set(kinds.flatMap(({ type, undoable }) => (undoable ? [type] : [])));
  return (type) => types.has(type);
}
