import "./sign-in.css";
import { useSearch } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, call, type Reply, type Schemas } from "../data/api.ts";
import { BASE_PATH, place, switchPlace } from "../data/place.ts";

type Step = "password" | "second" | "sso" | "forgot" | "sent";

interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface SecondFactor {
  readonly methods: readonly string[];
  readonly options: unknown;
}

/** Sign in: with a password and a second factor, by single sign-on, or with a new password by mail. */
export function SignIn() {
  const { from } = useSearch({ from: "/login" });
  const [step, setStep] = useState<Step>("password");
  const [credentials, setCredentials] = useState<Credentials>({ email: "", password: "" });
  const [factor, setFactor] = useState<SecondFactor>();
  const enter = ({ data }: Reply<"auth.login">): void => {
    const slugs = data.workspaces.map(({ slug }) => slug);
    const workspace = slugs.find((slug) => slug === place.workspace) ?? slugs[0];
    // Only to a path of ours: `//elsewhere` would be another host.
    const isOurs = from !== undefined && /^\/[^/\\]/.test(from);
    switchPlace({ workspace }, isOurs ? from : undefined);
  };
  const signIn = async (given: Credentials & Proof): Promise<void> => {
    try {
      enter(await call("auth.login", { body: given }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, problem } = error;
      if (code === "sso_required" && typeof problem["loginUrl"] === "string") {
        location.assign(problem["loginUrl"]);
      } else if (code === "mfa_required") {
        setFactor({
          methods: (problem["methods"] as readonly string[] | undefined) ?? [],
          options: problem["options"],
        });
        setStep("second");
      } else throw error;
    }
  };
  return (
    <main className="sign-in">
      <Water />
      {step === "password" && (
        <PasswordForm
          credentials={credentials}
          onChange={setCredentials}
          onSubmit={() => signIn(credentials)}
          onStep={setStep}
        />
      )}
      {step === "second" && factor && (
        <SecondFactorForm
          factor={factor}
          onSubmit={(proof) => signIn({ ...credentials, ...proof })}
          onBack={() => setStep("password")}
        />
      )}
      {step === "sso" && <SsoForm onBack={() => setStep("password")} />}
      {step === "forgot" && (
        <ForgotForm
          email={credentials.email}
          onSent={() => setStep("sent")}
          onBack={() => setStep("password")}
        />
      )}
      {step === "sent" && (
        <Card title="Look into your mail" onBack={() => setStep("password")}>
          <p>
            If there is an account with this address, a link to set a new password is on its way.
          </p>
        </Card>
      )}
    </main>
  );
}

interface Proof {
  readonly code?: string;
  readonly assertion?: Schemas["WebAuthnAssertion"];
}

function PasswordForm(props: {
  readonly credentials: Credentials;
  readonly onChange: (credentials: Credentials) => void;
  readonly onSubmit: () => Promise<void>;
  readonly onStep: (step: Step) => void;
}) {
  const { email, password } = props.credentials;
  return (
    <Card title="Sign in to Millrace" onSubmit={props.onSubmit} submit="Sign in">
      <label>
        E-mail
        <input
          className="field"
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={(event) => props.onChange({ email: event.target.value, password })}
        />
      </label>
      <label>
        Password
        <input
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => props.onChange({ email, password: event.target.value })}
        />
      </label>
      <nav className="sign-in-ways" aria-label="Other ways">
        <button type="button" onClick={() => props.onStep("sso")}>
          Single sign-on
        </button>
        <button type="button" onClick={() => props.onStep("forgot")}>
          Forgot your password?
        </button>
      </nav>
    </Card>
  );
}

function SecondFactorForm(props: {
  readonly factor: SecondFactor;
  readonly onSubmit: (proof: Proof) => Promise<void>;
  readonly onBack: () => void;
}) {
  const { methods, options } = props.factor;
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string>();
  const useKey = async (): Promise<void> => {
    try {
      await props.onSubmit({ assertion: await askSecurityKey(options) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Card
      title="One more step"
      onBack={props.onBack}
      onSubmit={() => props.onSubmit({ code: code.trim() })}
      submit="Continue"
    >
      <label>
        Code of your authenticator, or a recovery code
        <input
          className="field"
          autoComplete="one-time-code"
          inputMode="text"
          autoFocus
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </label>
      {methods.includes("webauthn") && (
        <button type="button" className="btn" onClick={() => void useKey()}>
          <KeyRound /> Use a passkey or security key
        </button>
      )}
      {problem !== undefined && (
        <p className="sign-in-problem" role="alert">
          {problem}
        </p>
      )}
    </Card>
  );
}

async function askSecurityKey(options: unknown): Promise<Schemas["WebAuthnAssertion"]> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No key was used.");
  const { id, rawId, response } = credential.toJSON() as Schemas["WebAuthnAssertion"];
  const { clientDataJSON, authenticatorData, signature } = response;
  return {
    id,
    rawId,
    type: "public-key",
    response: { clientDataJSON, authenticatorData, signature },
  };
}

function SsoForm({ onBack }: { readonly onBack: () => void }) {
  const [workspace, setWorkspace] = useState(place.workspace ?? "");
  return (
    <Card
      title="Single sign-on"
      onBack={onBack}
      onSubmit={async () =>
        location.assign(`${BASE_PATH}/sso/${encodeURIComponent(workspace.trim())}/login`)
      }
      submit="Continue"
    >
      <label>
        Workspace
        <input
          className="field"
          autoFocus
          required
          placeholder="acme"
          value={workspace}
          onChange={(event) => setWorkspace(event.target.value)}
        />
      </label>
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
    <Card title="A new password" onBack={props.onBack} onSubmit={send} submit="Send me a link">
      <label>
        E-mail
        <input
          className="field"
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </label>
    </Card>
  );
}

/** A step of signing in: its fields, what was wrong, and the one way on. */
function Card(props: {
  readonly title: string;
  readonly children: ReactNode;
  readonly submit?: string;
  readonly onSubmit?: () => Promise<void>;
  readonly onBack?: () => void;
}) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await props.onSubmit?.();
    } catch (error) {
      setProblem(
        error instanceof ApiError ? error.message : "The server can't be reached. Try it again.",
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="sign-in-card" onSubmit={(event) => void submit(event)}>
      <img src="mark.svg" width="32" height="32" alt="" />
      <h1>{props.title}</h1>
      {props.children}
      {problem !== undefined && (
        <p className="sign-in-problem" role="alert">
          {problem}
        </p>
      )}
      {props.submit !== undefined && (
        <button className="btn main" disabled={isBusy}>
          {props.submit}
        </button>
      )}
      {props.onBack && (
        <button type="button" className="btn bare" onClick={props.onBack}>
          Back
        </button>
      )}
    </form>
  );
}

/** The mill race below: six lines, drawn and still. */
function Water() {
  return (
    <svg
      className="sign-in-water"
      viewBox="0 0 1440 360"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {Array.from({ length: 6 }, (_, n) => {
        const y = 60 + n * 54;
        return (
          <path
            key={n}
            d={`M0 ${y} C 240 ${y - 46 + n * 6}, 480 ${y + 46 - n * 6}, 720 ${y} S 1200 ${y - 40 + n * 8}, 1440 ${y}`}
          />
        );
      })}
    </svg>
  );
}
