import { type ReactNode, useState } from "react";
import { useMe } from "../../data/people.ts";
import { useAttempt } from "../../shell/sign-in/card.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Field } from "../../ui/field.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ScopePicker } from "./scope-picker.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

interface CredentialDialogProps {
  readonly title: string;
  /** The words on its button. */
  readonly act: string;
  readonly nameHelp: string;
  /** Permissions that are chosen at first. */
  readonly scopes?: readonly string[];
  /** Whether its own fields are filled in. */
  readonly isReady?: boolean;
  readonly make: (name: string, scopes: string[]) => Promise<void>;
  readonly onClose: () => void;
  /** Fields of its own, between the name and the permissions. */
  readonly children: ReactNode;
}

/** A new credential of a program, a token or an application: its name, and no more than it needs. */
export function CredentialDialog(props: CredentialDialogProps) {
  const me = useMe();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(props.scopes));
  const { problem, isBusy, attempt } = useAttempt();
  const isReady = (props.isReady ?? true) && name.trim() !== "" && scopes.size > 0;
  return (
    <Dialog
      title={props.title}
      isWide
      onClose={props.onClose}
      onSubmit={() => void attempt(() => props.make(name.trim(), [...scopes].toSorted()))}
      footer={
        <Button look="main" disabled={isBusy || !isReady}>
          {props.act}
        </Button>
      }
    >
      <Field label="Name" help={props.nameHelp}>
        {(bound) => (
          <TextInput
            {...bound}
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      {props.children}
      <ScopePicker offered={me?.permissions ?? []} chosen={scopes} onChange={setScopes} />
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

/** What was made, this once. */
export function SecretDialog(props: {
  readonly title: string;
  readonly about: string;
  /** Each with its label. */
  readonly lines: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={props.onClose}
      footer={<Button look="main">I have saved it</Button>}
    >
      <p>{props.about}</p>
      {Object.entries(props.lines).map(([label, text]) => (
        <CopyLine key={label} label={label} text={text} />
      ))}
    </Dialog>
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
