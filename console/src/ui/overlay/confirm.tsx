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
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** A question before something that can't be taken back. Escape leaves all as it is. */
export function Confirm(props: ConfirmProps) {
  const main = useRef<HTMLButtonElement>(null);
  const isBusy = props.isBusy === true;
  // While it is counted first, the button can't be focused yet.
  useEffect(() => main.current?.focus(), [isBusy]);
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={props.onAct}
      footer={
        <>
          <button type="button" className="btn" onClick={props.onClose}>
            {props.keep ?? "Leave it"}
          </button>
          <button ref={main} className="btn main" disabled={isBusy}>
            {props.act}
          </button>
        </>
      }
    >
      <div className="confirm">{props.children}</div>
    </Dialog>
  );
}
