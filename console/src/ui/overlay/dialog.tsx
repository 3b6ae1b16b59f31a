import "./overlay.css";
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useModal } from "./modal.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Called before Escape, the close button or a click outside closes the dialog. */
  readonly mayClose?: () => boolean;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** Called on Enter in a field. */
  readonly onSubmit?: () => void;
}

/** By default the browser focuses the first element, which is the close button. */
const FIRST_FIELD = ".dialog-body :is(input, textarea, select)";

/** A native dialog with focus trap. Escape and a click outside close it. */
export function Dialog(props: DialogProps) {
  const { title, onClose, mayClose, children, footer, isWide, onSubmit } = props;
  const dialog = useModal(FIRST_FIELD);
  const close = (): void => {
    if (mayClose?.() !== false) dialog.current?.close();
  };
  const id = useId();
  return (
    <dialog
      ref={dialog}
      className={isWide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={onClose}
      // Cancelling a file input also fires `cancel`, which bubbles to the dialog.
      onCancel={(event) => {
        if (event.target === dialog.current && mayClose?.() === false) event.preventDefault();
      }}
      // Stops the event, so that Escape does not also close a panel behind the dialog.
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      // The second click of a double click on the button that opened the dialog does not close it.
      onMouseDown={(event) => {
        if (event.target === dialog.current && event.detail < 2) close();
      }}
    >
      <form
        className="dialog-frame"
        // Fields show their own validation messages.
        noValidate={mayClose !== undefined}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <header className="dialog-head">
          <h2 id={id} className="grow cut">
            {title}
          </h2>
          <button type="button" className="btn bare icon" aria-label="Close" onClick={close}>
            <X />
          </button>
        </header>
        <div className="dialog-body scroll">{children}</div>
        {footer && <footer className="dialog-foot">{footer}</footer>}
      </form>
    </dialog>
  );
}
