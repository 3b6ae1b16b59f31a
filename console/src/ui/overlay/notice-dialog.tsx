import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

interface NoticeDialogProps {
  readonly title: string;
  /** The label of the close button. */
  readonly act?: string;
  /** More buttons, before the close button. */
  readonly others?: ReactNode;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shows information, such as a one-time secret. Enter closes the dialog. */
export function NoticeDialog(props: NoticeDialogProps) {
  const { title, act = "Done", others, isWide = false, onClose, children } = props;
  return (
    <Dialog
      title={title}
      isWide={isWide}
      onClose={onClose}
      onSubmit={onClose}
      footer={
        <>
          {others}
          <button className="btn main">{act}</button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
