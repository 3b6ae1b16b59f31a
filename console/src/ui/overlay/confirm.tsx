import { type ReactNode, useEffect, useRef } from "react";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What is done, as the button says it. */
  readonly act: string;
  /** The way out, as its button says it. */
  readonly keep?: string;
  readonly isBusy?: boolean;
  /** Nothing is lost by it, so Enter does it. Otherwise Enter leaves all as it is: many a dialog is answered unread. */
  readonly isGentle?: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** A question before something that can't be taken back. Escape leaves all as it is. */
export function Confirm(props: ConfirmProps) {
  const first = useRef<HTMLButtonElement>(null);
  const { isGentle = false } = props;
  const isBusy = props.isBusy === true;
  // While it is counted first, the button can't be focused yet.
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
            {props.keep ?? "Leave it"}
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
