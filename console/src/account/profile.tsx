import { Link } from "@tanstack/react-router";
import { useForm } from "../data/form/use-form.ts";
import { describeRoles, type Me } from "../data/people.ts";
import { FormPanel } from "../shell/form/form-panel.tsx";
import { chooseTheme, THEMES, useTheme } from "../shell/theme.ts";
import { Section } from "../ui/display/section.tsx";
import { count, toWords } from "../ui/words.ts";
import { PlainButton } from "../ui/form/button.tsx";
import { TextField } from "../ui/form/text-field.tsx";

/** The display name, the roles and the appearance of the console. */
export function Profile({ me }: { readonly me: Me }) {
  return (
    <>
      <Name name={me.user.name} />
      <Section title="Appearance" about="Applies to this browser only.">
        <div className="section-body">
          <Theme />
        </div>
      </Section>
      <Section
        title="E-mail and notifications"
        about="Choose which notifications you get by e-mail in each workspace."
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
  const form = useForm("auth.update_me", { initial: { name }, said: "Name changed." });
  return (
    <Section title="Name" about="Shown to other people in all your workspaces.">
      <div className="section-body">
        <FormPanel form={form} label="Name" act="Save name">
          <TextField {...form.field("name")} autoComplete="name" />
        </FormPanel>
      </div>
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
