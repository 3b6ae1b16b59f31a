import "./welcome.css";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call, cache } from "../data/api.ts";
import { type Form, useForm } from "../data/form/use-form.ts";
import { type Me, useMe } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { saveWelcome, WELCOME_PREFERENCE } from "../data/welcome.ts";
import { Loading } from "../ui/feedback.tsx";
import { setTitle } from "../shell/title.ts";
import { type Landing, setUp } from "./examples/example.ts";
import { type Intent, INTENTS } from "./intents.ts";
import { Button } from "../ui/form/button.tsx";
import { RadioButton, TextInput } from "../ui/form/controls.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";
import { TextField } from "../ui/form/text-field.tsx";

interface Answers {
  readonly name: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly intent: string;
}

/** The welcome page: the first owner enters their name and goal, and gets a running example. */
export function Welcome() {
  const me = useMe();
  useEffect(() => setTitle("Welcome"), []);
  return (
    <div className="scroll welcome">{me ? <WelcomeForm me={me} /> : <Loading rows={6} />}</div>
  );
}

function WelcomeForm({ me }: { readonly me: Me }) {
  const navigate = useNavigate();
  const [doing, setDoing] = useState<string>();
  const leave = ({ path, steps }: Landing, intent: string): void => {
    saveWelcome({ intent, steps, done: [] });
    // Also stored with the account, so that other browsers do not ask again.
    void perform("preferences.set", { ...WELCOME_PREFERENCE, body: { value: intent } });
    void cache.invalidateQueries();
    void navigate({ to: path });
  };
  const form = useForm("auth.update_me", {
    initial: {
      name: me.user.name === "Administrator" ? "" : me.user.name,
      currentPassword: "",
      newPassword: "",
      intent: "automation",
    },
    check: ({ name, currentPassword, newPassword }) => ({
      name: name.trim() === "" ? "Your name is required." : undefined,
      currentPassword:
        newPassword !== "" && currentPassword === "" ? "Enter your current password." : undefined,
    }),
    send: async (answers: Answers) => {
      await saveAccount(me, answers, setDoing);
      const example = await intentOf(answers)?.load?.();
      const landing = example ? await setUp(example, setDoing) : { path: "/", steps: LOOKING };
      return { landing, intent: answers.intent };
    },
    onDone: ({ landing, intent }) => leave(landing, intent),
  });
  const { intent } = form.values;
  return (
    <div className="welcome-sheet">
      <header>
        <h1>Welcome to Millrace</h1>
        <p className="muted">Set up your account and select an example.</p>
      </header>
      <InlineForm
        form={form}
        label="Welcome"
        act={intentOf(form.values)?.load ? "Install example" : "Continue"}
        isMain
        others={
          <>
            <Button
              look="bare"
              type="button"
              disabled={form.isBusy}
              onClick={() => leave({ path: "/", steps: [] }, intent)}
            >
              Skip
            </Button>
            <span className="muted" role="status">
              {form.isBusy && doing !== undefined && `${doing}…`}
            </span>
          </>
        }
      >
        <AccountFields email={me.user.email} form={form} />
        <IntentChoice chosen={intent} onChoose={(id) => form.change({ intent: id })} />
      </InlineForm>
    </div>
  );
}

const intentOf = ({ intent }: Answers): Intent | undefined =>
  INTENTS.find(({ id }) => id === intent);

const LOOKING: Landing["steps"] = [
  { label: "View workflows", to: "/workflows" },
  { label: "Read the first steps", to: "/guide/first-steps", isPage: true },
  { label: "Read the API reference", to: "/docs", isPage: true },
];

async function saveAccount(
  me: Me,
  { name, currentPassword, newPassword }: Answers,
  tell: (what: string) => void,
): Promise<void> {
  tell("Saving your account");
  if (name.trim() !== "" && name.trim() !== me.user.name) {
    await call("auth.update_me", { body: { name: name.trim() } });
  }
  if (newPassword !== "") {
    await call("passwords.change", { body: { currentPassword, newPassword } });
  }
}

interface AccountFieldsProps {
  readonly email: string;
  readonly form: Form<Answers>;
}

function AccountFields({ email, form }: AccountFieldsProps) {
  return (
    <fieldset className="welcome-account">
      <legend>Your account</legend>
      <div className="wide">
        <TextField
          {...form.field("name")}
          label="Your name"
          autoComplete="name"
          isRequired
          isFocused
        />
      </div>
      <TextInput
        isBare
        className="hide"
        tabIndex={-1}
        aria-hidden="true"
        autoComplete="username"
        readOnly
        value={email}
      />
      <TextField
        {...form.field("currentPassword")}
        label="Current password"
        type="password"
        autoComplete="current-password"
      />
      <TextField
        {...form.field("newPassword")}
        label="New password"
        type="password"
        autoComplete="new-password"
      />
      <p className="muted wide">
        If the installation generated your password, the server printed it at the first start. Leave
        both fields empty to keep it.
      </p>
    </fieldset>
  );
}

function IntentChoice(props: { readonly chosen: string; readonly onChoose: (id: string) => void }) {
  return (
    <fieldset className="welcome-intents">
      <legend>Example</legend>
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
