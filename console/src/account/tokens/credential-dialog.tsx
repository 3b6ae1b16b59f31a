import { CopyLine } from "../../ui/copy-line.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { NoticeDialog } from "../../ui/overlay/notice-dialog.tsx";

/** Shows a new credential, which is not shown again. */
export function SecretDialog(props: {
  readonly title: string;
  readonly about: string;
  /** The values by label. */
  readonly lines: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}) {
  return (
    <NoticeDialog title={props.title} act="Done" onClose={props.onClose}>
      <p>{props.about}</p>
      {Object.entries(props.lines).map(([label, text]) => (
        <CopyLine key={label} label={label} text={text} />
      ))}
    </NoticeDialog>
  );
}

/** The confirmation before a token is revoked. */
export function RevokeDialog(props: {
  readonly name: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Confirm
      title={`Revoke ${props.name}`}
      act="Revoke"
      onAct={props.onAct}
      onClose={props.onClose}
    >
      Apps that use this token lose access. This can't be undone.
    </Confirm>
  );
}
