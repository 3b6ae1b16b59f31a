import { useEffect, useMemo, useRef } from "react";
import { useNames } from "../../data/names/names.ts";
import type { PresentPerson } from "../../data/live/presence.ts";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { classesOf, type Display, ROW_PX } from "../display/display.ts";
import type { HeldRow } from "./hold.ts";
import { QueueRow, type RowHandlers } from "./queue-row.tsx";
import type { QueueTicket } from "./queue-ticket.ts";
import { usePresent } from "./use-present.ts";

const NOBODY: readonly PresentPerson[] = [];

interface QueueListProps extends RowHandlers {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly open: string | undefined;
  readonly display: Display;
  readonly selection: Selection;
  readonly onEnd?: (() => void) | undefined;
}

/** The queue, of any length: only visible rows are rendered. */
export function QueueList(props: QueueListProps) {
  const { rows, open, selection, display } = props;
  const rowPx = ROW_PX[display.density];
  const box = useRef<HTMLDivElement>(null);
  const nameOf = useNames();
  const { onOpen, onSelect } = useStableHandlers({
    onOpen: props.onOpen,
    onSelect: props.onSelect,
  });
  const { from, to } = useRowWindow(box, rowPx, rows.length);
  const present = usePresent(rows.slice(from, to).map(({ row }) => row.id));
  const at = useMemo(() => rows.findIndex(({ row }) => row.number === open), [rows, open]);
  useEffect(() => {
    if (box.current && at >= 0) showRow(box.current, rowPx, at);
  }, [at, rowPx]);
  const isAtEnd = to >= rows.length;
  const { onEnd } = props;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const current = at < 0 ? undefined : rows[at]?.row;
  return (
    <div
      ref={box}
      className={`queue-rows scroll ${classesOf(display)}`}
      role="listbox"
      aria-label="Tickets"
      tabIndex={0}
      aria-multiselectable="true"
      aria-activedescendant={current && at >= from && at < to ? `row-${current.id}` : undefined}
    >
      <div className="queue-all" role="presentation" style={{ height: rows.length * rowPx }}>
        {rows.slice(from, to).map((held, n) => (
          <QueueRow
            key={held.row.id}
            held={held}
            isOpen={held.row.number === open}
            isSelected={selection.ids.has(held.row.id)}
            nameOf={nameOf}
            others={present.get(held.row.id) ?? NOBODY}
            top={(from + n) * rowPx}
            fields={display.fields}
            onOpen={onOpen}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}
