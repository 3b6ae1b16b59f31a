import "./notifications.css";
import { call, etagOf, patchCached, useOp } from "../data/api.ts";
import { MailNotice } from "../data/notices/mail-notice.tsx";
import { perform } from "../data/use-command.ts";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { KINDS_OF_MAIL, type MailKind, PAGES, setMuted } from "./mail-kinds.ts";
import { CheckBox } from "../ui/form/controls.tsx";

interface Preferences {
  readonly email: boolean;
  readonly noEmailFor: readonly string[];
}

/** Which notifications are also sent by e-mail. All are in the inbox. */
export function MailSettings() {
  useTitle("Notification settings");
  const { data, error, isPending, refetch } = useOp("notifications.get_preferences");
  const preferences = data?.data;
  const save = (next: Preferences, said: string): void => {
    if (!preferences) return;
    const before: Preferences = preferences;
    void perform(
      "notifications.set_preferences",
      { body: toBody(next) },
      {
        show: () =>
          patchCached("notifications.get_preferences", (old) => ({
            ...old,
            data: { ...old.data, ...toBody(next) },
          })),
        ifMatch: etagOf("notifications.get_preferences"),
        said,
        undo: () => call("notifications.set_preferences", { body: toBody(before) }),
      },
    );
  };
  const topic = ({ pattern, label, about }: MailKind, isEnabled: boolean) =>
    preferences && (
      <Switch
        key={pattern}
        label={label}
        about={about}
        isOn={isEnabled && !preferences.noEmailFor.includes(pattern)}
        onChange={(isOn) =>
          save(
            {
              email: preferences.email,
              noEmailFor: setMuted(preferences.noEmailFor, pattern, !isOn),
            },
            isOn ? `${label}: e-mail turned on` : `${label}: e-mail turned off`,
          )
        }
      />
    );
  return (
    <div className="scroll reading">
      <div className="reading-sheet">
        <h1>E-mail and notifications</h1>
        <p className="muted">
          All notifications appear in your inbox. Select which ones you also get by e-mail in this
          workspace.
        </p>
        <MailNotice />
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={5} />}
        {preferences && (
          <>
            <Switch
              label="E-mail notifications"
              about="Off: you get no notifications by e-mail, except pages."
              isOn={preferences.email}
              onChange={(email) =>
                save(
                  { ...preferences, email },
                  email ? "E-mail notifications turned on" : "E-mail notifications turned off",
                )
              }
            />
            <fieldset className="mail-kinds" disabled={!preferences.email}>
              <legend>Topics</legend>
              {KINDS_OF_MAIL.map((kind) => topic(kind, preferences.email))}
            </fieldset>
            {topic(PAGES, true)}
          </>
        )}
      </div>
    </div>
  );
}

const toBody = ({ email, noEmailFor }: Preferences) => ({ email, noEmailFor: [...noEmailFor] });

function Switch(props: {
  readonly label: string;
  readonly about: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="switch">
      <CheckBox
        role="switch"
        checked={props.isOn}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <span className="grow">
        <strong>{props.label}</strong>
        <span className="muted">{props.about}</span>
      </span>
    </label>
  );
}
