/** Ways to sign in: password and second factor, single sign-on, or a password reset by e-mail. */
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { ApiError, call, type Reply, type Schemas } from "../../data/api.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { announcePerson } from "../../data/session.ts";
import { Card, Field, Problem } from "./card.tsx";
import { usePasskey } from "./passkey.ts";
import { useRunner } from "../../ui/behaviour/runner.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Step = "password" | "second" | "sso" | "forgot" | "sent";
type Session = Reply<"auth.login">["data"];

interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface SecondFactor {
  readonly methods: readonly string[];
  readonly options: unknown;
}

interface Proof {
  readonly code?: string;
  readonly assertion?: Schemas["WebAuthnAssertion"];
}

interface SignInProps {
  readonly title: string;
  /** A local path to return to after single sign-on. */
  readonly returnTo: string;
  readonly email?: string;
  readonly onSession: (session: Session) => void;
}

export function CredentialForms({ title, returnTo, email = "", onSession }: SignInProps) {
  const [step, setStep] = useState<Step>("password");
  const [credentials, setCredentials] = useState<Credentials>({ email, password: "" });
  const [factor, setFactor] = useState<SecondFactor>();
  const toPassword = (): void => setStep("password");
  const leaveFor = (address: string): void =>
    location.assign(`${address}?returnTo=${encodeURIComponent(returnTo)}`);
  const leaveForSso = (workspace: string): void => {
    localStorage.setItem(LAST_SSO, workspace);
    leaveFor(`${BASE_PATH}/sso/${encodeURIComponent(workspace)}/login`);
  };
  const signIn = async (given: Credentials & Proof): Promise<void> => {
    try {
      const { data } = await call("auth.login", { body: given });
      announcePerson(data.user.id);
      onSession(data);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, problem } = error;
      if (code === "sso_required" && typeof problem["loginUrl"] === "string") {
        leaveFor(problem["loginUrl"]);
      } else if (code === "mfa_required") {
        const methods = (problem["methods"] as readonly string[] | undefined) ?? [];
        setFactor({ methods, options: problem["options"] });
        setStep("second");
      } else throw error;
    }
  };
  const useKey = async (): Promise<void> => {
    const options = (await call("auth.begin_passkey_login")).data;
    const assertion = await usePasskey(options);
    try {
      const { data } = await call("auth.login_by_passkey", { body: { assertion } });
      announcePerson(data.user.id);
      onSession(data);
    } catch (error) {
      const loginUrl = error instanceof ApiError ? error.problem["loginUrl"] : undefined;
      if (typeof loginUrl !== "string") throw error;
      leaveFor(loginUrl);
    }
  };
  if (step === "second" && factor) {
    return (
      <SecondFactorForm
        factor={factor}
        onProof={(proof) => signIn({ ...credentials, ...proof })}
        onBack={toPassword}
      />
    );
  }
  if (step === "sso") return <SsoForm onChosen={leaveForSso} onBack={toPassword} />;
  if (step === "forgot") {
    return (
      <ForgotForm email={credentials.email} onSent={() => setStep("sent")} onBack={toPassword} />
    );
  }
  if (step === "sent") {
    return (
      <Card title="Check your e-mail" onBack={toPassword}>
        <p>If an account with this address exists, we sent a link to set a new password.</p>
      </Card>
    );
  }
  return (
    <PasswordForm
      title={title}
      credentials={credentials}
      onChange={setCredentials}
      onSubmit={() => signIn(credentials)}
      onPasskey={useKey}
      onStep={setStep}
      onSso={leaveForSso}
    />
  );
}

function PasswordForm(props: {
  readonly title: string;
  readonly credentials: Credentials;
  readonly onChange: (credentials: Credentials) => void;
  readonly onSubmit: () => Promise<void>;
  readonly onPasskey: () => Promise<void>;
  readonly onStep: (step: Step) => void;
  readonly onSso: (workspace: string) => void;
}) {
  const { email, password } = props.credentials;
  const { error, isBusy, run } = useRunner();
  const [isKnown] = useState(email !== "");
  const chooseSso = async (): Promise<void> => {
    const workspace = await findSsoEntry();
    if (workspace === undefined) props.onStep("sso");
    else props.onSso(workspace);
  };
  return (
    <Card title={props.title} onSubmit={props.onSubmit} submit="Sign in">
      <Field
        label="E-mail"
        type="email"
        autoComplete="username"
        focus={!isKnown}
        value={email}
        onChange={(value) => props.onChange({ email: value, password })}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        focus={isKnown}
        value={password}
        onChange={(value) => props.onChange({ email, password: value })}
      />
      <Problem error={error} />
      <nav className="sign-in-ways" aria-label="Other sign-in methods">
        <PlainButton type="button" disabled={isBusy} onClick={() => void run(props.onPasskey)}>
          Passkey
        </PlainButton>
        <PlainButton type="button" onClick={() => void chooseSso()}>
          Single sign-on
        </PlainButton>
        <PlainButton type="button" onClick={() => props.onStep("forgot")}>
          Forgot your password?
        </PlainButton>
      </nav>
    </Card>
  );
}

function SecondFactorForm(props: {
  readonly factor: SecondFactor;
  readonly onProof: (proof: Proof) => Promise<void>;
  readonly onBack: () => void;
}) {
  const { methods, options } = props.factor;
  const hasKey = methods.includes("webauthn");
  const hasApp = methods.includes("totp");
  const [code, setCode] = useState("");
  const { error, isBusy, run } = useRunner();
  return (
    <Card
      title="Second factor"
      onBack={props.onBack}
      onSubmit={() => props.onProof({ code: code.trim() })}
      submit="Continue"
    >
      {hasKey && (
        <Button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void run(async () => props.onProof({ assertion: await usePasskey(options) }))
          }
        >
          <KeyRound /> Use a passkey or security key
        </Button>
      )}
      <Problem error={error} />
      <Field
        label={hasApp ? "Code from your authenticator app" : "Recovery code"}
        hint={
          hasApp
            ? "You can also enter a recovery code."
            : "Use it if you don’t have your security key."
        }
        autoComplete="one-time-code"
        focus
        value={code}
        onChange={setCode}
      />
    </Card>
  );
}

const LAST_SSO = "millrace.sso";

/**
 * Returns the workspace from the address or this browser, or the only one with single sign-on, so that the user
 * need not enter it.
 */
async function findSsoEntry(): Promise<string | undefined> {
  const workspace = localStorage.getItem(LAST_SSO) ?? place.workspace;
  const query = workspace === undefined ? {} : { workspace };
  const answer = await call("sso.find", { query }).catch(() => undefined);
  return answer?.data.workspace ?? undefined;
}

function SsoForm(props: {
  readonly onChosen: (address: string) => void;
  readonly onBack: () => void;
}) {
  const [workspace, setWorkspace] = useState(
    localStorage.getItem(LAST_SSO) ?? place.workspace ?? "",
  );
  return (
    <Card
      title="Single sign-on"
      onBack={props.onBack}
      onSubmit={async () => {
        props.onChosen(workspace.trim().toLowerCase());
      }}
      submit="Continue"
    >
      <Field
        label="Workspace"
        hint="The short name from your invitation. This browser remembers it."
        placeholder="acme"
        focus
        value={workspace}
        onChange={setWorkspace}
      />
    </Card>
  );
}

function ForgotForm(props: {
  readonly email: string;
  readonly onSent: () => void;
  readonly onBack: () => void;
}) {
  const [email, setEmail] = useState(props.email);
  const send = async (): Promise<void> => {
    await call("passwords.forgot", { body: { email } });
    props.onSent();
  };
  return (
    <Card title="Reset password" onBack={props.onBack} onSubmit={send} submit="Send link">
      <Field
        label="E-mail"
        type="email"
        autoComplete="username"
        focus
        value={email}
        onChange={setEmail}
      />
    </Card>
  );
}
