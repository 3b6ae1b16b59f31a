import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../data/api.ts";
import { describeRoles, type Me } from "../data/people.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { chooseTheme, THEMES, useTheme } from "../shell/theme.ts";
import { Section } from "../ui/display/section.tsx";
import { Field } from "../ui/field.tsx";
import { notify } from "../ui/toast.tsx";
import { count, toWords } from "../ui/words.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

/** The name that others see, the roles one has, and how the console looks. */
export function Profile({ me }: { readonly me: Me }) {
  return (
    <>
      <Name key={me.user.name} name={me.user.name} />
      <Section title="Appearance" about="Of this browser alone.">
        <div className="section-body">
          <Theme />
        </div>
      </Section>
      <Section
        title="Mail and notifications"
        about="Say what is sent to you by mail, for each workspace."
        act={
          <Link to="/settings/notifications" className="btn">
            Choose
          </Link>
        }
      />
      <Section title="Workspaces" about={count(me.workspaceCount, "workspace")}>
        <ul>
          {me.workspaces.map(({ id, name, slug, ...member }) => (
            <li key={id} className="entry">
              <div className="grow entry-words">
                <div className="entry-title">{name}</div>
                <div className="muted">{slug}</div>
              </div>
              <span className="muted account-roles">{describeRoles(member)}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function Name({ name }: { readonly name: string }) {
  const [draft, setDraft] = useState(name);
  const { problem, isBusy, attempt } = useAttempt();
  const isSame = draft.trim() === name || draft.trim() === "";
  const save = async (): Promise<void> => {
    await call("auth.update_me", { body: { name: draft.trim() } });
    notify("Your name is changed.");
  };
  return (
    <Section title="Name" about="As everybody sees it, in all your workspaces.">
      <form
        className="section-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame) void attempt(save);
        }}
      >
        <Field label="Name" error={problem}>
          {(bound) => (
            <TextInput
              {...bound}
              maxLength={100}
              autoComplete="name"
              value={draft}
              onChange={({ target }) => setDraft(target.value)}
            />
          )}
        </Field>
        <Button look="main" disabled={isSame || isBusy}>
          Save the name
        </Button>
      </form>
    </Section>
  );
}

function Theme() {
  const theme = useTheme();
  return (
    <div className="tabs" role="group" aria-label="Theme">
      {THEMES.map((one) => (
        <PlainButton
          key={one}
          type="button"
          aria-pressed={one === theme}
          onClick={() => chooseTheme(one)}
        >
          {toWords(one)}
        </PlainButton>
      ))}
    </div>
  );
}
