import { type Dispatch, type SetStateAction, useEffect } from "react";
import { useActions } from "../../shell/actions.ts";
import {
  keepListed,
  NOTHING,
  type Selection,
  selectRange,
  toggleOne,
} from "../../ui/behaviour/selection.ts";
import type { QueueTicket } from "./queue-ticket.ts";

interface QueueKeys {
  readonly selection: Selection;
  readonly setSelection: Dispatch<SetStateAction<Selection>>;
  readonly open: (number: string | undefined) => void;
}

/** The keyboard shortcuts of the queue: move, select and close. */
export function useQueueKeys(
  rows: readonly QueueTicket[],
  current: QueueTicket | undefined,
  { selection, setSelection, open }: QueueKeys,
) {
  const ids = rows.map(({ id }) => id);
  const idText = ids.join();
  useEffect(
    () => setSelection((old) => keepListed(old, idText.split(","))),
    [idText, setSelection],
  );
  const at = current ? ids.indexOf(current.id) : -1;
  const walk = (by: number, isRange = false): void => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (!next) return;
    if (isRange && current) {
      setSelection((old) =>
        selectRange(old.ids.size === 0 ? toggleOne(old, current.id) : old, ids, next.id),
      );
    }
    open(next.number);
  };
  const select = (id: string | undefined, isRange: boolean): void => {
    if (id === undefined) return;
    setSelection((old) => (isRange ? selectRange(old, ids, id) : toggleOne(old, id)));
  };
  const clear = (): void => setSelection(NOTHING);
  useActions([
    { keys: "j", label: "Next ticket", run: () => walk(1) },
    { keys: "k", label: "Previous ticket", run: () => walk(-1) },
    { keys: "ArrowDown", label: "Next ticket", run: () => walk(1), hidden: true },
    { keys: "ArrowUp", label: "Previous ticket", run: () => walk(-1), hidden: true },
    { keys: "shift+ArrowDown", label: "Select down", run: () => walk(1, true) },
    { keys: "shift+ArrowUp", label: "Select up", run: () => walk(-1, true) },
    { keys: "x", label: "Select ticket", run: () => select(current?.id, false) },
    {
      keys: "mod+a",
      label: "Select all listed tickets",
      run: () => setSelection({ ids: new Set(ids), anchor: ids[0] }),
    },
    {
      keys: "Escape",
      label: "Back",
      run: () => (selection.ids.size > 0 ? clear() : open(undefined)),
      hidden: true,
    },
  ]);
  return { select, clear };
}
