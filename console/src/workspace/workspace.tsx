import "./workspace.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, etagOf, type Schemas, useOp } from "../data/api.ts";
import { useMay, useMe, useRefusals } from "../data/people.ts";
import { place } from "../data/place.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { useTitle } from "../shell/title.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { notify } from "../ui/toast.tsx";
import { splitWords } from "../ui/words.ts";
import { Exports } from "./exports.tsx";
import { useSso } from "./use-sso.ts";
import { Button } from "../ui/form/button.tsx";
import { CheckBox, Select, TextArea, TextInput } from "../ui/form/controls.tsx";

type Workspace = Schemas["Workspace"];

/** The workspace: its name, times and languages, what it demands of its people, and what it holds. */
export function WorkspaceSettings() {
  useTitle("Workspace");
  const may = useMay();
  const refusalOf = useRefusals();
  const me = useMe();
  const { data, error, isPending, refetch } = useOp("workspaces.current");
  const workspace = data?.data;
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <header className="folio-head">
          <h1 className="grow">Workspace</h1>
          <span className="muted cut">{workspace?.name}</span>
          <code className="muted">{workspace?.slug}</code>
        </header>
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={8} />}
        {workspace && (
          <>
            <General
              key={workspace.updatedAt}
              workspace={workspace}
              reason={refusalOf("workspaces.update")}
            />
            <SecondFactors />
            {may("sso.get") && <SignOn />}
            <Usage slug={workspace.slug} />
            {me?.roles.includes("owner") && <Exports />}
          </>
        )}
      </div>
    </div>
  );
}

const languages = new Intl.DisplayNames("en", { type: "language" });
const ZONES = Intl.supportedValuesOf("timeZone");
const LOCALES = [
  "en-GB",
  "en-US",
  "de-CH",
  "de-DE",
  "de-AT",
  "fr-CH",
  "fr-FR",
  "it-IT",
  "es-ES",
  "nl-NL",
];

function General(props: { readonly workspace: Workspace; readonly reason: string | undefined }) {
  const { slug, name, description, timezone, locale, corsOrigins, ownEnvironmentValues } =
    props.workspace;
  const [draft, setDraft] = useState({
    name,
    description,
    timezone,
    locale,
    ownEnvironmentValues,
    origins: corsOrigins.join("\n"),
  });
  // A draft keeps the version that it began with: somebody else's change is not overwritten.
  const [ifMatch] = useState(etagOf("workspaces.current"));
  const { problem, isBusy, attempt } = useAttempt();
  const set = (change: Partial<typeof draft>): void => setDraft({ ...draft, ...change });
  const save = async (): Promise<void> => {
    const { origins, ...rest } = draft;
    const body = { ...rest, corsOrigins: origins.split(/\s+/).filter(Boolean) };
    await call(
      "workspaces.update",
      { params: { slug }, body },
      ifMatch === undefined ? {} : { ifMatch },
    );
    notify("The workspace is changed.");
  };
  return (
    <Section
      title="General"
      anchor="general"
      about="Schedules, reports and apps follow its time zone and language."
    >
      <form
        className="section-body"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(save);
        }}
      >
        <fieldset className="workspace-form bare-set" disabled={props.reason !== undefined}>
          <Field label="Name">
            {(bound) => (
              <TextInput
                {...bound}
                required
                maxLength={100}
                value={draft.name}
                onChange={({ target }) => set({ name: target.value })}
              />
            )}
          </Field>
          <Field label="What it is for" isOptional>
            {(bound) => (
              <TextInput
                {...bound}
                maxLength={2000}
                value={draft.description}
                onChange={({ target }) => set({ description: target.value })}
              />
            )}
          </Field>
          <Choice
            label="Time zone"
            value={draft.timezone}
            options={ZONES}
            onChange={(value) => set({ timezone: value })}
          />
          <Choice
            label="Language"
            value={draft.locale}
            options={LOCALES}
            spell={(locale) => languages.of(locale)}
            onChange={(value) => set({ locale: value })}
          />
          <OwnValues
            isOn={draft.ownEnvironmentValues}
            onChange={(isOn) => set({ ownEnvironmentValues: isOn })}
          />
          <Origins value={draft.origins} onChange={(origins) => set({ origins })} />
        </fieldset>
        {problem !== undefined && (
          <p className="dialog-problem" role="alert">
            {problem}
          </p>
        )}
        <Button look="main" disabled={isBusy || props.reason !== undefined} title={props.reason}>
          Save
        </Button>
      </form>
    </Section>
  );
}

function OwnValues(props: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  return (
    <label className="wide-field row">
      <CheckBox checked={props.isOn} onChange={({ target }) => props.onChange(target.checked)} />
      <span>
        Environments have their own values
        <span className="muted workspace-about">
          New secrets and variables count in production only, until staging and development get
          values of their own.
        </span>
      </span>
    </label>
  );
}

function Origins(props: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <div className="wide-field">
      <Field
        label="Allowed origins (CORS)"
        isOptional
        help="Origins such as https://desk.example.com, one on each line."
      >
        {(bound) => (
          <TextArea
            {...bound}
            className="scope-lines"
            value={props.value}
            onChange={({ target }) => props.onChange(target.value)}
          />
        )}
      </Field>
    </div>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly spell?: (option: string) => string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const options = props.options.includes(props.value)
    ? props.options
    : [props.value, ...props.options];
  return (
    <Field label={props.label}>
      {(bound) => (
        <Select
          {...bound}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {props.spell?.(option) ?? option}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function SecondFactors() {
  const may = useMay();
  const refusalOf = useRefusals();
  const status = useOp("mfa.status").data?.data;
  const access = useOp(
    "users.list_access",
    { query: { limit: 200 } },
    { enabled: may("users.list_access") },
  ).data?.data;
  const without = access?.filter(({ hasSecondFactor }) => !hasSecondFactor).length;
  const [isAsking, setAsking] = useState(false);
  const { problem, isBusy, attempt } = useAttempt();
  const reason = refusalOf("mfa.enforce");
  if (!status) return null;
  const isOn = status.enforced;
  const turn = async (): Promise<void> => {
    await call("mfa.enforce", { body: { enforced: !isOn } });
    setAsking(false);
    notify(
      isOn ? "A second factor is no longer required." : "Everybody needs a second factor now.",
    );
  };
  return (
    <Section title="Security" anchor="security">
      <ul>
        <Entry
          title={
            <>
              Second factor of everybody
              <span className={`tag ${isOn ? "ok" : "idle"}`}>
                {isOn ? "Required" : "Not required"}
              </span>
            </>
          }
          about={
            without === undefined
              ? "Whoever has none can do nothing but set one up."
              : `${without} of ${access?.length} members have none; they could do nothing but set one up.`
          }
          act={
            <Button refusal={reason} onClick={() => setAsking(true)}>
              {isOn ? "Require it no longer" : "Require it"}
            </Button>
          }
        />
      </ul>
      {isAsking && (
        <Confirm
          title={
            isOn ? "Require no second factor any more" : "Require a second factor of everybody"
          }
          act={isOn ? "Require it no longer" : "Require it"}
          isGentle={!isOn}
          isBusy={isBusy}
          onAct={() => void attempt(turn)}
          onClose={() => setAsking(false)}
        >
          <p>
            {isOn
              ? "A password alone opens this workspace again."
              : "At once: members without one are held at its set-up. API tokens and applications keep working."}
          </p>
          {problem !== undefined && <p className="dialog-problem">{problem}</p>}
        </Confirm>
      )}
    </Section>
  );
}

function SignOn() {
  const { configuration: sso } = useSso();
  return (
    <Section
      title="Single sign-on"
      about={
        sso
          ? `${sso.protocol === "oidc" ? "OpenID Connect" : "SAML 2.0"}, ${sso.enforceSSO ? "required of everybody" : "beside the password"}.`
          : "Not set up: people sign in by password or passkey."
      }
      act={
        <Link to="/settings/sso" className="btn">
          {sso ? "Change" : "Set up"}
        </Link>
      }
    />
  );
}

function Usage({ slug }: { readonly slug: string }) {
  const { data } = useOp("workspaces.stats", { params: { slug } });
  const counts = Object.entries(data?.data.counts ?? {}).toSorted(([one], [other]) =>
    one.localeCompare(other, "en"),
  );
  return (
    <Section title="Usage" anchor="usage" about={`In ${place.environment}.`}>
      <dl className="usage">
        {counts.map(([name, number]) => (
          <div key={name}>
            <dt>{splitWords(name)}</dt>
            <dd>{number.toLocaleString("en")}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
