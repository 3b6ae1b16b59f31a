import { useEffect, useState } from "react";
import { call, type Schemas } from "../data/api.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { QrCode } from "../shell/sign-in/qr-code.tsx";
import { copyText } from "../ui/behaviour/copy.ts";
import { Field } from "../ui/field.tsx";
import { Loading } from "../ui/feedback.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

/** An authenticator app: its key as a picture, and a code that shows that it has it. */
export function TotpDialog(props: {
  readonly onClose: () => void;
  readonly onEnrolled: (codes: readonly string[]) => void;
}) {
  const [secret, setSecret] = useState<Schemas["TotpSecret"]>();
  const [code, setCode] = useState("");
  const { problem, isBusy, attempt } = useAttempt();
  useEffect(() => {
    void attempt(async () => setSecret((await call("mfa.enroll_totp")).data));
    // Once, when it opens: asking again would replace the key.
  }, []);
  const verify = async (): Promise<void> => {
    const { data } = await call("mfa.verify_totp", { body: { code: code.trim() } });
    props.onEnrolled(data.recoveryCodes);
  };
  return (
    <Dialog
      title="Your authenticator app"
      onClose={props.onClose}
      onSubmit={() => void attempt(verify)}
      footer={
        <Button look="main" disabled={isBusy || code.trim().length < 6}>
          Set it up
        </Button>
      }
    >
      {!secret && <Loading rows={4} />}
      {secret && (
        <>
          <p>Scan this picture with the app, or type the key into it.</p>
          <QrCode source={secret.qrCode} className="account-qr" />
          <code className="account-key" aria-label="Key">
            {(secret.secret.match(/.{1,4}/g) ?? []).join(" ")}
          </code>
        </>
      )}
      <Field label="Code that the app shows" error={problem}>
        {(bound) => (
          <TextInput
            {...bound}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={8}
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** Recovery codes, once. */
export function CodesDialog(props: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  const copy = (): void => void copyText(props.codes.join("\n"), "The codes are");
  return (
    <Dialog
      title="Keep these recovery codes"
      onClose={props.onClose}
      onSubmit={props.onClose}
      footer={
        <>
          <Button type="button" onClick={copy}>
            Copy all
          </Button>
          <Button look="main">I have saved them</Button>
        </>
      }
    >
      <p>Each lets you in once when your second factor is not at hand. They are shown only now.</p>
      <ul className="account-codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
