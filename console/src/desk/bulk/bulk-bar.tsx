import { X } from "lucide-react";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { count } from "../../ui/words.ts";
import type { HeldRow } from "../queue/hold.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";

interface BulkBarProps {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly selection: Selection;
  readonly onClear: () => void;
}

/** What can be done to the selected tickets. */
export function BulkBar({ selection, onClear }: BulkBarProps) {
  const { size } = selection.ids;
  if (size === 0) return null;
  return (
    <div className="bulk" role="toolbar" aria-label="Selected tickets">
      <span className="grow">{count(size, "ticket")} selected</span>
      <button className="btn bare icon" aria-label="Select nothing" onClick={onClear}>
        <X />
      </button>
    </div>
  );
}
