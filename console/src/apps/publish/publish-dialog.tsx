/** The publish dialog: target environment, differences, and how to roll back. */
import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { call, query, type Schemas } from "../../data/api.ts";
import { type FieldFault, useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { OpenTables } from "../../data/notices/record-access.tsx";
import { type Environment, ENVIRONMENTS, place } from "../../data/place.ts";
import { useCommand } from "../../data/use-command.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify } from "../../ui/toast.tsx";
import { toWords } from "../../ui/words.ts";
import { compareApps } from "../draft/difference.ts";
import { type Draft, tablesOf } from "../draft/draft.ts";
import { ChangeList } from "./change-list.tsx";
import { PublicAccess } from "./public-access.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

interface PublishDialogProps {
  readonly app: Schemas["App"];
  readonly draft: Draft;
  readonly onSave: () => Promise<boolean>;
  readonly onJump: (at: string) => void;
  readonly onClose: () => void;
}

/** The parts of an app that publishing checks. */
const CHECKED = ["pages", "dataSources"];

interface PublishDraft {
  readonly notes: string;
}

export function PublishDialog({ app, draft, onSave, onJump, onClose }: PublishDialogProps) {
  const [environment, setEnvironment] = useState<Environment>(place.environment);
  const live = app.environments[environment];
  const form = useForm("apps.deploy", {
    params: { id: app.id },
    initial: { notes: "" },
    send: async ({ notes }: PublishDraft) => {
      if (!(await onSave()))
        throw new Error("The app is not published, because it could not be saved.");
      return call("apps.deploy", { params: { id: app.id }, body: { notes } }, { environment });
    },
    said: ({ data }) => `${draft.name} published to ${environment} as version ${data.number}.`,
    onDone: onClose,
  });
  const jump = (at: string): void => {
    onClose();
    onJump(at);
  };
  return (
    <FormDialog
      form={form}
      title={`Publish ${draft.name}`}
      act={form.isBusy ? "Publishing…" : `Publish to ${environment}`}
      isWide
      onClose={onClose}
      others={
        <span className="muted">
          {live
            ? `Version ${live.number} is published in ${environment}.`
            : `Not published in ${environment} yet.`}
        </span>
      }
    >
      <EnvironmentPick chosen={environment} onChoose={setEnvironment} />
      <TextField {...form.field("notes")} label="Release notes" />
      <Missing faults={CHECKED.flatMap(form.errorsOf)} {...{ environment, jump }} />
      <Differences {...{ app, draft, environment, jump }} />
      <OpenTables slugs={tablesOf(draft)} environment={environment} />
      {live && <PublicAccess key={environment} {...{ app, environment }} />}
      <Deployments {...{ app, environment }} />
    </FormDialog>
  );
}

interface MissingProps {
  readonly faults: readonly FieldFault[];
  readonly environment: Environment;
  readonly jump: (at: string) => void;
}

function Missing({ faults, environment, jump }: MissingProps) {
  if (faults.length === 0) return null;
  return (
    <section role="alert" className="publish-missing">
      <h3>Missing in {environment}</h3>
      <ul>
        {faults.map(({ path, message }) => (
          <li key={path}>
            <PlainButton type="button" className="link" onClick={() => jump(path)}>
              {path}
            </PlainButton>{" "}
            {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

function EnvironmentPick(props: {
  readonly chosen: Environment;
  readonly onChoose: (environment: Environment) => void;
}) {
  return (
    <div className="publish-environments" role="radiogroup" aria-label="Environment">
      {ENVIRONMENTS.toReversed().map((name) => (
        <label key={name} className={name === props.chosen ? "chosen" : ""}>
          <RadioButton
            name="environment"
            checked={name === props.chosen}
            onChange={() => props.onChoose(name)}
          />
          {toWords(name)}
        </label>
      ))}
    </div>
  );
}

interface WhereProps {
  readonly app: Schemas["App"];
  readonly environment: Environment;
}

function Differences(
  props: WhereProps & { readonly draft: Draft; readonly jump: (at: string) => void },
) {
  const { app, draft, environment, jump } = props;
  const live = app.environments[environment];
  const input = { params: { id: app.id, deploymentId: live?.deploymentId ?? "" } };
  const { data, error } = useQuery({
    queryKey: [...query("apps.get_deployment", input).queryKey, environment],
    queryFn: ({ signal }) => call("apps.get_deployment", input, { signal, environment }),
    enabled: live !== null,
    placeholderData: undefined,
  });
  if (error) return <ErrorNotice error={error} />;
  if (live && !data) return <Loading rows={3} />;
  // The deployed version was validated when it was saved.
  const before = data?.data.snapshot as unknown as Draft | undefined;
  return (
    <section>
      <h3>{before ? "Changes for users" : "First publication"}</h3>
      {before ? (
        <ChangeList changes={compareApps(before, draft)} onJump={jump} />
      ) : (
        <p className="muted">
          {draft.pages.length === 1 ? "One page" : `${draft.pages.length} pages`}, for all members
          who can open apps. Each member sees only the data that they have access to.
        </p>
      )}
    </section>
  );
}

/** Past deployments to an environment, with a rollback action. */
function Deployments({ app, environment }: WhereProps) {
  const nameOf = useNames();
  const input = { params: { id: app.id }, query: { limit: 5 } };
  const { data, refetch } = useQuery({
    queryKey: [...query("apps.list_deployments", input).queryKey, environment],
    queryFn: ({ signal }) => call("apps.list_deployments", input, { signal, environment }),
    placeholderData: undefined,
  });
  const rollback = useCommand("apps.rollback", { environment, onDone: () => void refetch() });
  const goBack = (deploymentId: string, number: number): void =>
    void rollback.run({ params: { id: app.id }, body: { deploymentId } }).then((reply) => {
      if (reply) notify(`Version ${number} is published in ${environment} again.`);
    });
  if (!data || data.data.length === 0) return null;
  return (
    <section>
      <h3>Previous versions</h3>
      <ul className="deployment-list">
        {data.data.map(({ id, number, notes, live, deployedBy, createdAt }) => (
          <li key={id}>
            <b>{number}</b>
            <span className="grow cut">
              {notes === "" ? <span className="muted">No release notes</span> : notes}
            </span>
            <span className="muted">
              {nameOf(deployedBy)} · <Ago at={createdAt} />
            </span>
            {live ? (
              <span className="tag ok">Published</span>
            ) : (
              <CommandButton command={rollback} onPress={() => goBack(id, number)}>
                <RotateCcw /> Restore version
              </CommandButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
