import { CopyLine } from "../../ui/copy-line.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { NoticeDialog } from "../../ui/overlay/notice-dialog.tsx";

/** What was made, this once. */
export function SecretDialog(props: {
  readonly title: string;
  readonly about: string;
  /** Each with its label. */
  readonly lines: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}) {
  return (
    <NoticeDialog title={props.title} act="I have saved it" onClose={props.onClose}>
      <p>{props.about}</p>
      {Object.entries(props.lines).map(([label, text]) => (
        <CopyLine key={label} label={label} text={text} />
      ))}
    </NoticeDialog>
  );
}

/** The question before a token ends. */
export function RevokeDialog(props: {
  readonly name: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Confirm
      title={`Revoke ${props.name}`}
      act="Revoke it"
      onAct={props.onAct}
      onClose={props.onClose}
    >
      Whatever uses it is refused from now on. This can't be taken back.
    </Confirm>
  );
}
