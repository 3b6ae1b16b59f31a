import { type ReactNode, useEffect, useRef } from "react";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The label of the confirm button. */
  readonly act: string;
  /** The label of the cancel button. */
  readonly keep?: string;
  readonly isBusy?: boolean;
  /**
   * True if nothing is lost, so that Enter confirms. Otherwise Enter cancels, because users often confirm without
   * reading.
   */
  readonly isGentle?: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** A confirmation before an irreversible action. Escape cancels. */
export function Confirm(props: ConfirmProps) {
  const first = useRef<HTMLButtonElement>(null);
  const { isGentle = false } = props;
  const isBusy = props.isBusy === true;
  // The button can't have focus while the count is loading.
  useEffect(() => first.current?.focus(), [isBusy]);
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={props.onAct}
      footer={
        <>
          <button
            ref={isGentle ? undefined : first}
            type="button"
            className="btn"
            onClick={props.onClose}
          >
            {props.keep ?? "Cancel"}
          </button>
          <button ref={isGentle ? first : undefined} className="btn main" disabled={isBusy}>
            {props.act}
          </button>
        </>
      }
    >
      <div className="confirm">{props.children}</div>
    </Dialog>
  );
}
