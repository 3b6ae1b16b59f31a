import { KeyRound, Smartphone } from "lucide-react";
import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { useRunner } from "../../ui/behaviour/runner.ts";
import { toClipboard } from "../../ui/behaviour/copy.ts";
import { signOut } from "../account.ts";
import { Card, Field, Problem } from "./card.tsx";
import { makePasskey } from "./passkey.ts";
import { QrCode } from "./qr-code.tsx";
import { SignInPage } from "./sign-in.tsx";
import { Button } from "../../ui/form/button.tsx";

type TotpSecret = Schemas["TotpSecret"];

/** Enrols a second factor that the workspace requires: method, setup and recovery codes. */
export function Enrolment({ onDone }: { readonly onDone: () => void }) {
  const [secret, setSecret] = useState<TotpSecret>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) {
    return (
      <SignInPage>
        <RecoveryCodes codes={codes} onDone={onDone} />
      </SignInPage>
    );
  }
  return (
    <SignInPage>
      {secret ? (
        <TotpForm secret={secret} onEnrolled={setCodes} onBack={() => setSecret(undefined)} />
      ) : (
        <Choice
          onSecret={setSecret}
          onEnrolled={(given) => (given.length > 0 ? setCodes(given) : onDone())}
        />
      )}
    </SignInPage>
  );
}

function Choice(props: {
  readonly onSecret: (secret: TotpSecret) => void;
  readonly onEnrolled: (codes: readonly string[]) => void;
}) {
  const { error, isBusy, run } = useRunner();
  const beginTotp = async (): Promise<void> => props.onSecret((await call("mfa.enroll_totp")).data);
  const registerKey = async (): Promise<void> => {
    const options = (await call("mfa.register_webauthn", { body: {} })).data;
    const credential = await makePasskey(options);
    const { data } = await call("mfa.register_webauthn", { body: { credential } });
    props.onEnrolled("recoveryCodes" in data ? (data.recoveryCodes ?? []) : []);
  };
  return (
    <Card title="Set up a second factor" back="Sign out" onBack={() => void signOut()}>
      <p>This workspace requires a second factor to sign in.</p>
      <Button type="button" disabled={isBusy} autoFocus onClick={() => void run(beginTotp)}>
        <Smartphone /> Use an authenticator app
      </Button>
      <Button type="button" disabled={isBusy} onClick={() => void run(registerKey)}>
        <KeyRound /> Use a passkey or security key
      </Button>
      <Problem error={error} />
    </Card>
  );
}

function TotpForm(props: {
  readonly secret: TotpSecret;
  readonly onEnrolled: (codes: readonly string[]) => void;
  readonly onBack: () => void;
}) {
  const [code, setCode] = useState("");
  const { secret, qrCode } = props.secret;
  const verify = async (): Promise<void> => {
    const { data } = await call("mfa.verify_totp", { body: { code: code.trim() } });
    props.onEnrolled(data.recoveryCodes);
  };
  return (
    <Card title="Your authenticator app" onBack={props.onBack} onSubmit={verify} submit="Set up">
      <p>Scan this QR code with the app, or enter the key.</p>
      <QrCode source={qrCode} className="sign-in-code" />
      <code className="sign-in-key" aria-label="Key">
        {(secret.match(/.{1,4}/g) ?? []).join(" ")}
      </code>
      <Field
        label="Code from the app"
        autoComplete="one-time-code"
        focus
        value={code}
        onChange={setCode}
      />
    </Card>
  );
}

function RecoveryCodes(props: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void toClipboard(props.codes.join("\n")).then(setCopied);
  return (
    <Card title="Save your recovery codes" onSubmit={async () => props.onDone()} submit="Continue">
      <p>
        If you can't use your second factor, sign in with one of these codes. Each code works once.
        They are not shown again.
      </p>
      <ul className="sign-in-codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Button type="button" onClick={copy}>
        {isCopied ? "Copied" : "Copy all"}
      </Button>
    </Card>
  );
}
