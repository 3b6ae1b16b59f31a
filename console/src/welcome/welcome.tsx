import "./welcome.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { call, cache } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { type Me, useMe } from "../data/people.ts";
import { saveWelcome, WELCOME_PREFERENCE } from "../data/welcome.ts";
import { Loading } from "../ui/feedback.tsx";
import { notifyError } from "../ui/toast.tsx";
import { setTitle } from "../shell/title.ts";
import { type Landing, setUp } from "./examples/example.ts";
import { type Intent, INTENTS } from "./intents.ts";
import { Button } from "../ui/form/button.tsx";
import { RadioButton, TextInput } from "../ui/form/controls.tsx";

const PASSWORD_MIN = 8;

interface Answers {
  readonly name: string;
  readonly current: string;
  readonly password: string;
  readonly intent: string;
}

/** The first owner says who they are and what they came for, and gets a running example of it. */
export function Welcome() {
  const me = useMe();
  useEffect(() => setTitle("Welcome"), []);
  return (
    <div className="scroll welcome">{me ? <WelcomeForm me={me} /> : <Loading rows={6} />}</div>
  );
}

function WelcomeForm({ me }: { readonly me: Me }) {
  const navigate = useNavigate();
  const isNamed = me.user.name !== "Administrator";
  const [answers, setAnswers] = useState<Answers>({
    name: isNamed ? me.user.name : "",
    current: "",
    password: "",
    intent: "automation",
  });
  const [doing, setDoing] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const intent = INTENTS.find(({ id }) => id === answers.intent);
  const leave = ({ path, steps }: Landing): void => {
    const { intent: value } = answers;
    saveWelcome({ intent: value, steps, done: [] });
    // With the account, too: it is not asked in another browser.
    void call("preferences.set", { ...WELCOME_PREFERENCE, body: { value } }).catch(notifyError);
    void cache.invalidateQueries();
    void navigate({ to: path });
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    try {
      await saveAccount(me, answers, setDoing);
      const example = await intent?.load?.();
      leave(example ? await setUp(example, setDoing) : { path: "/", steps: LOOKING });
    } catch (error) {
      setProblem(describeRefusal(error));
    } finally {
      setDoing(undefined);
    }
  };
  const set = (change: Partial<Answers>): void => setAnswers({ ...answers, ...change });
  return (
    <form className="welcome-sheet" onSubmit={(event) => void submit(event)}>
      <header>
        <h1>Welcome to Millrace</h1>
        <p className="muted">Three questions, and there is something to look at.</p>
      </header>
      <AccountFields email={me.user.email} answers={answers} onChange={set} />
      <IntentChoice chosen={answers.intent} onChoose={(id) => set({ intent: id })} />
      {problem !== undefined && (
        <p className="welcome-problem" role="alert">
          {problem}
        </p>
      )}
      <footer className="row">
        <Button look="main" disabled={doing !== undefined}>
          {intent?.load ? "Set it up" : "Go in"}
        </Button>
        <Button
          look="bare"
          type="button"
          disabled={doing !== undefined}
          onClick={() => leave({ path: "/", steps: [] })}
        >
          Skip
        </Button>
        <span className="muted" role="status">
          {doing !== undefined && `${doing}…`}
        </span>
      </footer>
    </form>
  );
}

const LOOKING: Landing["steps"] = [
  { label: "See the workflows", to: "/workflows" },
  { label: "Read the first steps", to: "/guide/first-steps", isPage: true },
  { label: "Look into the API", to: "/docs", isPage: true },
];

async function saveAccount(
  me: Me,
  { name, current, password }: Answers,
  tell: (what: string) => void,
): Promise<void> {
  tell("Saving your account");
  if (name.trim() !== "" && name.trim() !== me.user.name) {
    await call("users.update", { params: { id: me.user.id }, body: { name: name.trim() } });
  }
  if (password !== "") {
    await call("passwords.change", {
      body: { currentPassword: current, newPassword: password },
    });
  }
}

function AccountFields(props: {
  readonly email: string;
  readonly answers: Answers;
  readonly onChange: (change: Partial<Answers>) => void;
}) {
  const { name, current, password } = props.answers;
  return (
    <fieldset className="welcome-account">
      <legend>Who are you?</legend>
      <label className="wide">
        Your name
        <TextInput
          autoComplete="name"
          autoFocus
          required
          maxLength={100}
          value={name}
          onChange={(event) => props.onChange({ name: event.target.value })}
        />
      </label>
      <TextInput
        isBare
        className="hide"
        tabIndex={-1}
        aria-hidden="true"
        autoComplete="username"
        readOnly
        value={props.email}
      />
      <label>
        Current password
        <TextInput
          type="password"
          autoComplete="current-password"
          required={password !== ""}
          value={current}
          onChange={(event) => props.onChange({ current: event.target.value })}
        />
      </label>
      <label>
        New password
        <TextInput
          type="password"
          autoComplete="new-password"
          minLength={PASSWORD_MIN}
          value={password}
          onChange={(event) => props.onChange({ password: event.target.value })}
        />
      </label>
      <p className="muted wide">
        The current one may have been made up and printed at the start. Leave both empty to keep it.
      </p>
    </fieldset>
  );
}

function IntentChoice(props: { readonly chosen: string; readonly onChoose: (id: string) => void }) {
  return (
    <fieldset className="welcome-intents">
      <legend>What did you come for?</legend>
      {INTENTS.map((intent) => (
        <IntentCard
          key={intent.id}
          intent={intent}
          isChosen={intent.id === props.chosen}
          onChoose={() => props.onChoose(intent.id)}
        />
      ))}
    </fieldset>
  );
}

function IntentCard(props: {
  readonly intent: Intent;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { label, about, icon: Icon } = props.intent;
  return (
    <label className={`intent${props.isChosen ? " chosen" : ""}`}>
      <RadioButton
        name="intent"
        className="hide"
        checked={props.isChosen}
        onChange={props.onChoose}
      />
      <Icon className="ico" />
      <span>
        <strong>{label}</strong>
        <span className="muted">{about}</span>
      </span>
    </label>
  );
}
