import "./overlay.css";
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useModal } from "./modal.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Asked before Escape, the cross or a press beside it close it. */
  readonly mayClose?: () => boolean;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** Enter in a field does it. */
  readonly onSubmit?: () => void;
}

/** By itself the browser takes what comes first, which is the button that closes it. */
const FIRST_FIELD = ".dialog-body :is(input, textarea, select)";

/** A native dialog: the focus stays in it and goes back after it. Escape and a press beside it close it. */
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
      // A field of files cancels, too, and its event comes by here.
      onCancel={(event) => {
        if (event.target === dialog.current && mayClose?.() === false) event.preventDefault();
      }}
      // What lies behind, such as a panel that Escape leaves, would take the key away from it.
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      onPointerDown={(event) => event.target === dialog.current && close()}
    >
      <form
        className="dialog-frame"
        // Fields say by themselves what is wrong, in words of ours.
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
