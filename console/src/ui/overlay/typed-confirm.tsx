import { type ReactNode, useState } from "react";
import { Field } from "../field.tsx";
import { Dialog } from "./dialog.tsx";

interface TypedConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The label of the confirm button. */
  readonly act: string;
  /** The word that users must type, to prevent accidental confirmation. */
  readonly word: string;
  readonly isBusy?: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** A confirmation before an irreversible action: the user types the name first. */
export function TypedConfirm(props: TypedConfirmProps) {
  const [text, setText] = useState("");
  const isTyped = text.trim() === props.word;
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={() => isTyped && props.onAct()}
      footer={
        <>
          <button type="button" className="btn" onClick={props.onClose}>
            Cancel
          </button>
          <button className="btn main" disabled={!isTyped || props.isBusy === true}>
            {props.act}
          </button>
        </>
      }
    >
      <div className="confirm">{props.children}</div>
      <Field label={`Type ${props.word}`}>
        {(bound) => (
          <input
            {...bound}
            className="field"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
