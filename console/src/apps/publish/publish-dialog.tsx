/** Before anything changes for others: where to, what is new there, and the way back. */
import { useQuery } from "@tanstack/react-query";
import { Rocket, RotateCcw } from "lucide-react";
import { useState } from "react";
import { ApiError, call, query, type Schemas } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { OpenTables } from "../../data/notices/record-access.tsx";
import { type Environment, ENVIRONMENTS, place } from "../../data/place.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { toWords } from "../../ui/words.ts";
import { compareApps } from "../draft/difference.ts";
import { type Draft, tablesOf } from "../draft/draft.ts";
import { ChangeList } from "./change-list.tsx";
import { PublicAccess } from "./public-access.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { RadioButton, TextInput } from "../../ui/form/controls.tsx";

interface PublishDialogProps {
  readonly app: Schemas["App"];
  readonly draft: Draft;
  readonly onSave: () => Promise<boolean>;
  readonly onJump: (at: string) => void;
  readonly onClose: () => void;
}

interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

export function PublishDialog({ app, draft, onSave, onJump, onClose }: PublishDialogProps) {
  const [environment, setEnvironment] = useState<Environment>(place.environment);
  const [notes, setNotes] = useState("");
  const [missing, setMissing] = useState<readonly FieldProblem[]>([]);
  const [isBusy, setBusy] = useState(false);
  const live = app.environments[environment];
  const publish = async (): Promise<void> => {
    setBusy(true);
    setMissing([]);
    try {
      if (!(await onSave())) return;
      const input = { params: { id: app.id }, body: { notes } };
      const { data } = await call("apps.deploy", input, { environment });
      notify(`${draft.name} is published in ${environment}, as number ${data.number}.`);
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === "deploy_failed")
        setMissing(error.errors ?? []);
      else notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  const jump = (at: string): void => {
    onClose();
    onJump(at);
  };
  return (
    <Dialog
      title={`Publish ${draft.name}`}
      isWide
      onClose={onClose}
      onSubmit={() => void publish()}
      footer={
        <>
          <span className="muted grow">
            {live
              ? `Number ${live.number} is live in ${environment}.`
              : `Not in ${environment} yet.`}
          </span>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" disabled={isBusy}>
            <Rocket /> {isBusy ? "Publishing…" : `Publish to ${environment}`}
          </Button>
        </>
      }
    >
      <EnvironmentPick chosen={environment} onChoose={setEnvironment} />
      <label className="publish-notes">
        <span>What is new</span>
        <TextInput
          value={notes}
          placeholder="optional"
          onChange={({ target }) => setNotes(target.value)}
        />
      </label>
      {missing.length > 0 && (
        <section role="alert" className="publish-missing">
          <h3>What is missing in {environment}</h3>
          <ul>
            {missing.map(({ path, message }) => (
              <li key={path}>
                <PlainButton type="button" className="link" onClick={() => jump(path)}>
                  {path}
                </PlainButton>{" "}
                {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Differences {...{ app, draft, environment, jump }} />
      <OpenTables slugs={tablesOf(draft)} environment={environment} />
      {live && <PublicAccess key={environment} {...{ app, environment }} />}
      <Deployments {...{ app, environment }} />
    </Dialog>
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
  // What was deployed was checked when it was saved.
  const before = data?.data.snapshot as unknown as Draft | undefined;
  return (
    <section>
      <h3>{before ? "What changes for people" : "Everything is new"}</h3>
      {before ? (
        <ChangeList changes={compareApps(before, draft)} onJump={jump} />
      ) : (
        <p className="muted">
          {draft.pages.length === 1 ? "One page" : `${draft.pages.length} pages`}, for all who may
          open apps. They see in it what they may see anyway.
        </p>
      )}
    </section>
  );
}

/** What was published there, and the way back to it. */
function Deployments({ app, environment }: WhereProps) {
  const nameOf = useNames();
  const input = { params: { id: app.id }, query: { limit: 5 } };
  const { data, refetch } = useQuery({
    queryKey: [...query("apps.list_deployments", input).queryKey, environment],
    queryFn: ({ signal }) => call("apps.list_deployments", input, { signal, environment }),
    placeholderData: undefined,
  });
  const goBack = async (deploymentId: string, number: number): Promise<void> => {
    try {
      const sent = { params: { id: app.id }, body: { deploymentId } };
      await call("apps.rollback", sent, { environment });
      notify(`Number ${number} is live in ${environment} again.`);
      await refetch();
    } catch (error) {
      notifyError(error);
    }
  };
  if (!data || data.data.length === 0) return null;
  return (
    <section>
      <h3>Published before</h3>
      <ul className="deployment-list">
        {data.data.map(({ id, number, notes, live, deployedBy, createdAt }) => (
          <li key={id}>
            <b>{number}</b>
            <span className="grow cut">
              {notes === "" ? <span className="muted">No notes</span> : notes}
            </span>
            <span className="muted">
              {nameOf(deployedBy)} · <Ago at={createdAt} />
            </span>
            {live ? (
              <span className="tag ok">Live</span>
            ) : (
              <Button type="button" onClick={() => void goBack(id, number)}>
                <RotateCcw /> Go back to it
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
