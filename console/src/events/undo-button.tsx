import { Undo2 } from "lucide-react";
import { undoChanges, useUndoable } from "../data/undo/undo.ts";
import { Button } from "../ui/form/button.tsx";

interface ToldEvent {
  readonly id: string;
  readonly type: string;
  /** False if the server would reject the undo, such as for tasks added by an approval. */
  readonly undoable?: boolean;
}

/** Undoes all events of a timeline entry if the server supports it, newest first. */
export function UndoButton({ events }: { readonly events: readonly ToldEvent[] }) {
  const isUndoable = useUndoable();
  const targets = events
    .filter(({ type }) => isUndoable(type))
    .map(({ id }) => ({ eventId: id }))
    .toSorted((a, b) => (a.eventId < b.eventId ? 1 : -1));
  if (targets.length === 0 || events.some(({ undoable }) => undoable === false)) return null;
  return (
    <Button
      look="bare"
      className="undo-button"
      type="button"
      onClick={() => void undoChanges(targets)}
    >
      <Undo2 className="ico" aria-hidden="true" /> Undo
    </Button>
  );
}
