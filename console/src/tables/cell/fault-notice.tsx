import { type GridColumn } from "../column/column.ts";
import { type NameOf, toText } from "../column/value.ts";
import type { Fault } from "../book/row-book.ts";
import { Button } from "../../ui/form/button.tsx";

interface FaultNoticeProps {
  readonly fault: Fault;
  readonly column: GridColumn;
  readonly nameOf: NameOf;
  readonly onMine: () => void;
  readonly onDismiss: () => void;
}

/** Describes the error of the focused cell and offers the rejected value. */
export function FaultNotice({ fault, column, nameOf, onMine, onDismiss }: FaultNoticeProps) {
  const mine = toText(column, fault.mine, nameOf);
  const isConflict = "theirs" in fault;
  return (
    <div className="fault-notice" role="alert">
      <span className="grow">
        <strong>{column.title}:</strong> {fault.message}
        {mine !== "" && <> Your value: “{mine}”.</>}
      </span>
      {isConflict && <Button onClick={onMine}>Keep my value</Button>}
      <Button onClick={onDismiss}>{isConflict ? "Keep their value" : "Dismiss"}</Button>
    </div>
  );
}
