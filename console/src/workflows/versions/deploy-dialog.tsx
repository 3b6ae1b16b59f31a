import { Rocket } from "lucide-react";
import { useMemo, useState } from "react";
import { useModal } from "../../ui/modal.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { type Environment, ENVIRONMENTS, place } from "../../data/place.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count, toWords } from "../../ui/words.ts";
import { compareDefinitions, type Difference } from "../graph/diff.ts";
import type { Definition } from "../graph/graph.ts";
import { DifferenceView, sumUp } from "./difference-view.tsx";

interface DeployDialogProps {
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
  readonly isDirty: boolean;
  /** Saves the draft first; false when it could not be. */
  readonly onSave: () => Promise<boolean>;
  readonly onClose: () => void;
}

/** Before anything changes for others: where, what differs there, and who is in the middle of it. */
export function DeployDialog(props: DeployDialogProps) {
  const { workflow, definition, isDirty, onSave, onClose } = props;
  const dialog = useModal();
  const [environment, setEnvironment] = useState<Environment>(place.environment);
  const [isBusy, setBusy] = useState(false);
  const active = workflow.environments[environment];
  const deploy = async (): Promise<void> => {
    setBusy(true);
    try {
      if (isDirty && !(await onSave())) return;
      const { data } = await call(
        "workflows.publish",
        { params: { id: workflow.id } },
        { environment },
      );
      notify(`Version ${data.environments[environment]?.version} is on in ${environment}`);
      onClose();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} className="versions-dialog" aria-label="Deploy" onClose={onClose}>
      <header>
        <h1>Deploy</h1>
        <EnvironmentChoice chosen={environment} onChoose={setEnvironment} />
      </header>
      <Changes workflow={workflow} definition={definition} environment={environment} />
      <footer>
        <span className="muted">
          {isDirty ? "Your draft is saved as a new version first." : "The newest version."}
          {active && ` Version ${active.version} is on in ${environment} now.`}
        </span>
        <span className="grow" />
        <button className="btn" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button className="btn main" disabled={isBusy} onClick={() => void deploy()} data-focus>
          <Rocket />
          {isBusy ? "Deploying…" : `Deploy to ${environment}`}
        </button>
      </footer>
    </dialog>
  );
}

export function EnvironmentChoice(props: {
  readonly chosen: Environment;
  readonly onChoose: (environment: Environment) => void;
}) {
  return (
    <div className="environment-choice" role="radiogroup" aria-label="Environment">
      {ENVIRONMENTS.toReversed().map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="environment"
            checked={name === props.chosen}
            onChange={() => props.onChoose(name)}
          />
          <i className={`environment-dot ${name}`} />
          {toWords(name)}
        </label>
      ))}
    </div>
  );
}

function Changes(props: {
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
  readonly environment: Environment;
}) {
  const { workflow, definition, environment } = props;
  const versionId = workflow.environments[environment]?.versionId;
  const { data, error, isPlaceholderData } = useOp(
    "workflows.get_version",
    { params: { id: workflow.id, versionId: versionId ?? "" } },
    { enabled: versionId !== undefined },
  );
  const before = versionId === undefined || isPlaceholderData ? undefined : data?.data.definition;
  const difference = useMemo<Difference | undefined>(() => {
    if (versionId === undefined) return { ...UNMARKED, union: definition };
    return before && compareDefinitions(before, definition);
  }, [before, definition, versionId]);
  if (error) return <ErrorNotice error={error} />;
  if (!difference) return <Loading />;
  const title = versionId === undefined ? `First time in ${environment}` : sumUp(difference);
  return (
    <DifferenceView
      key={versionId ?? environment}
      difference={difference}
      title={title}
      above={
        versionId === undefined && (
          <section>
            <p className="muted">
              All of it is new there, and its trigger is turned on: {definition.trigger.type}.
            </p>
          </section>
        )
      }
      below={<Underway workflowId={workflow.id} environment={environment} />}
    />
  );
}

const UNMARKED = { marks: new Map(), edges: new Map(), changes: [], settings: [] } as const;
const RUNS_MAX = 100;

/** Runs that are in the middle of it keep their version. */
function Underway(props: { readonly workflowId: string; readonly environment: Environment }) {
  const isHere = props.environment === place.environment;
  const of = (status: "paused" | "waiting" | "running") => ({
    params: { id: props.workflowId },
    query: { status, limit: RUNS_MAX },
  });
  const options = { enabled: isHere };
  const paused = useOp("workflows.runs", of("paused"), options).data?.data.length ?? 0;
  const waiting = useOp("workflows.runs", of("waiting"), options).data?.data.length ?? 0;
  const running = useOp("workflows.runs", of("running"), options).data?.data.length ?? 0;
  if (!isHere) return null;
  const parts = [
    ...(running > 0 ? [`${count(running, "run")} under way`] : []),
    ...(paused > 0 ? [`${count(paused, "run")} waiting for people`] : []),
    ...(waiting > 0 ? [`${count(waiting, "run")} waiting for a time or an event`] : []),
  ];
  return (
    <section>
      <h2>Who is in the middle of it</h2>
      <p className="muted">
        {parts.length === 0
          ? "No run is under way."
          : `${parts.join(", ")}. They keep their version; a retry may take the new one.`}
      </p>
    </section>
  );
}
