import "./workspace.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { versionOf } from "../data/form/version.ts";
import { useMay, useMe } from "../data/people.ts";
import { place } from "../data/place.ts";
import { useCommand } from "../data/use-command.ts";
import { FormPanel } from "../shell/form/form-panel.tsx";
import { useTitle } from "../shell/title.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { splitWords } from "../ui/words.ts";
import { Exports } from "./exports.tsx";
import { useSso } from "./use-sso.ts";
import { CheckField, SelectField } from "../ui/form/choice-field.tsx";
import type { Choice } from "../ui/form/choices.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { ListField } from "../ui/form/list-field.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { Grid } from "../ui/layout/layout.tsx";

type Workspace = Schemas["Workspace"];

/** The workspace: name, time zone and languages, security requirements, and usage. */
export function WorkspaceSettings() {
  useTitle("Workspace");
  const may = useMay();
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
            <General workspace={workspace} />
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

function General({ workspace }: { readonly workspace: Workspace }) {
  const { slug, timezone, locale } = workspace;
  const form = useForm("workspaces.update", {
    params: { slug },
    initial: workspace,
    version: versionOf("workspaces.current", {}, ({ data }) => data),
    said: "Workspace saved.",
  });
  return (
    <Section
      title="General"
      anchor="general"
      about="Schedules, reports and apps use the time zone and language of the workspace."
    >
      <div className="section-body">
        <FormPanel form={form} label="General">
          <Grid min="l">
            <TextField {...form.field("name")} />
            <TextField {...form.field("description")} label="Description" />
            <SelectField
              {...form.field("timezone")}
              label="Time zone"
              options={toOptions(ZONES, timezone)}
            />
            <SelectField
              {...form.field("locale")}
              label="Language"
              options={toOptions(LOCALES, locale, (one) => languages.of(one))}
            />
          </Grid>
          <CheckField
            {...form.field("ownEnvironmentValues")}
            label="Separate values per environment"
            help="New secrets and variables apply to production only. Set separate values for staging and development."
          />
          <ListField
            {...form.field("corsOrigins")}
            label="Allowed origins (CORS)"
            help="One origin per line. Example: https://desk.example.com"
            rows={3}
          />
        </FormPanel>
      </div>
    </Section>
  );
}

/** Adds the current value to the options if it is missing. */
const toOptions = (
  values: readonly string[],
  chosen: string,
  spell?: (value: string) => string | undefined,
): readonly Choice<string>[] =>
  [...new Set([...(values.includes(chosen) ? [] : [chosen]), ...values])].map((value) => [
    value,
    spell?.(value) ?? value,
  ]);

function SecondFactors() {
  const may = useMay();
  const status = useOp("mfa.status").data?.data;
  const access = useOp(
    "users.list_access",
    { query: { limit: 200 } },
    { enabled: may("users.list_access") },
  ).data?.data;
  const without = access?.filter(({ hasSecondFactor }) => !hasSecondFactor).length;
  const [isAsking, setAsking] = useState(false);
  const isOn = status?.enforced === true;
  const enforce = useCommand("mfa.enforce", {
    said: isOn ? "A second factor is now optional." : "A second factor is now required.",
    onDone: () => setAsking(false),
  });
  if (!status) return null;
  return (
    <Section title="Security" anchor="security">
      <ul>
        <Entry
          title={
            <>
              Second factor for all members
              <span className={`tag ${isOn ? "ok" : "idle"}`}>
                {isOn ? "Required" : "Not required"}
              </span>
            </>
          }
          about={
            without === undefined
              ? "Members without a second factor must set one up before they can work here."
              : `${without} of ${access?.length} members have no second factor. If you require it, they must set one up first.`
          }
          act={
            <CommandButton command={enforce} onPress={() => setAsking(true)}>
              {isOn ? "Make optional" : "Require second factor"}
            </CommandButton>
          }
        />
      </ul>
      {isAsking && (
        <Confirm
          title={
            isOn ? "Make the second factor optional" : "Require a second factor for all members"
          }
          act={isOn ? "Make optional" : "Require second factor"}
          isGentle={!isOn}
          isBusy={enforce.isBusy}
          onAct={() => void enforce.run({ body: { enforced: !isOn } })}
          onClose={() => setAsking(false)}
        >
          <p>
            {isOn
              ? "Members can sign in with only their password again."
              : "Members without a second factor must set one up before they continue. API tokens and applications keep working."}
          </p>
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
          ? `${sso.protocol === "oidc" ? "OpenID Connect" : "SAML 2.0"}, ${sso.enforceSSO ? "required for all members" : "optional"}.`
          : "Not set up. Members sign in with a password or passkey."
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
