import { useEffect, useState } from "react";
import type { Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { perform } from "../data/use-command.ts";
import { QrCode } from "../shell/sign-in/qr-code.tsx";
import { copyText } from "../ui/behaviour/copy.ts";
import { Loading } from "../ui/feedback.tsx";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { NoticeDialog } from "../ui/overlay/notice-dialog.tsx";

/** Enrols an authenticator app: its key as a QR code, and a code to verify it. */
export function TotpDialog(props: {
  readonly onClose: () => void;
  readonly onEnrolled: (codes: readonly string[]) => void;
}) {
  const [secret, setSecret] = useState<Schemas["TotpSecret"]>();
  useEffect(() => {
    void perform("mfa.enroll_totp", {}, { onDone: ({ data }) => setSecret(data) });
    // Only once on open: another request would replace the key.
  }, []);
  const form = useForm("mfa.verify_totp", {
    onDone: ({ data }) => props.onEnrolled(data.recoveryCodes),
  });
  return (
    <FormDialog form={form} title="Set up authenticator app" act="Set up" onClose={props.onClose}>
      {!secret && <Loading rows={4} />}
      {secret && (
        <>
          <p>Scan this QR code with the app, or enter the key in the app.</p>
          <QrCode source={secret.qrCode} className="account-qr" />
          <code className="account-key" aria-label="Key">
            {(secret.secret.match(/.{1,4}/g) ?? []).join(" ")}
          </code>
        </>
      )}
      <TextField
        {...form.field("code")}
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
      />
    </FormDialog>
  );
}

/** Shows the recovery codes once. */
export function CodesDialog(props: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  const copy = (): void => void copyText(props.codes.join("\n"), "The codes are");
  return (
    <NoticeDialog
      title="Save these recovery codes"
      act="Done"
      others={
        <Button type="button" onClick={copy}>
          Copy all
        </Button>
      }
      onClose={props.onClose}
    >
      <p>
        Use a code to sign in when your second factor is not available. Each code works once. Save
        the codes now: they are not shown again.
      </p>
      <ul className="account-codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </NoticeDialog>
  );
}
