import { Rocket } from "lucide-react";
import { useMemo, useState } from "react";
import { useModal } from "../../ui/overlay/modal.ts";
import { call, type Input, query, type Schemas, useOp } from "../../data/api.ts";
import { useQuery } from "@tanstack/react-query";
import { type Environment, ENVIRONMENTS, place } from "../../data/place.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { count, toWords } from "../../ui/words.ts";
import { compareDefinitions, type Difference } from "../graph/diff.ts";
import { type Definition, findStep } from "../graph/graph.ts";
import { DifferenceView, sumUp } from "./difference-view.tsx";
import { ModuleSection } from "./module-section.tsx";
import { type Gate, GateSection } from "./gate-section.tsx";
import { RehearsalSection } from "./rehearsal.tsx";
import { Button } from "../../ui/form/button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";

interface DeployDialogProps {
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
  readonly isDirty: boolean;
  /** Saves the draft first; resolves to false if that failed. */
  readonly onSave: () => Promise<boolean>;
  readonly onClose: () => void;
}

/** The deploy dialog: the environment, the differences to its deployed version, and the affected runs. */
export function DeployDialog(props: DeployDialogProps) {
  const { workflow, definition, isDirty, onSave, onClose } = props;
  const dialog = useModal();
  const [environment, setEnvironment] = useState<Environment>(place.environment);
  // Undefined until the user changes it: then the gate is not changed.
  const [gates, setGates] = useState<Partial<Record<Environment, Gate | null>>>({});
  const [updated, setUpdated] = useState<ReadonlySet<Environment>>(new Set());
  const active = workflow.environments[environment];
  const publish = useCommand("workflows.publish", {
    environment,
    said: ({ data }) =>
      `Version ${data.environments[environment]?.version} deployed to ${environment}`,
    onDone: onClose,
  });
  const deploy = async (): Promise<void> => {
    if (!(await onSave())) return;
    const gate = gates[environment];
    const body = {
      ...(gate !== undefined && { requireRehearsal: gate }),
      ...(updated.has(environment) && { updateModules: true }),
    };
    await publish.run({ params: { id: workflow.id }, body });
  };
  return (
    <dialog ref={dialog} className="versions-dialog" aria-label="Deploy" onClose={onClose}>
      <header>
        <h1>Deploy</h1>
        <EnvironmentChoice chosen={environment} onChoose={setEnvironment} />
      </header>
      <Changes
        {...{ workflow, definition, environment, isDirty }}
        gate={gates[environment]}
        onGate={(gate) => setGates({ ...gates, [environment]: gate })}
        isUpdating={updated.has(environment)}
        onUpdate={(isUpdating) => setUpdated(withMember(updated, environment, isUpdating))}
      />
      <footer>
        <span className="muted">
          {isDirty ? "Your draft is saved as a new version first." : "Deploys the newest version."}
          {active && ` Currently deployed to ${environment}: version ${active.version}.`}
        </span>
        <span className="grow" />
        <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        <CommandButton command={publish} isMain onPress={() => void deploy()} data-focus>
          <Rocket />
          {publish.isBusy ? "Deploying…" : `Deploy to ${environment}`}
        </CommandButton>
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
          <RadioButton
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
  readonly isDirty: boolean;
  readonly gate: Gate | null | undefined;
  readonly onGate: (gate: Gate | null) => void;
  readonly isUpdating: boolean;
  readonly onUpdate: (isUpdating: boolean) => void;
}) {
  const { workflow, definition, environment, gate, onGate } = props;
  const preview = usePreview(workflow.id, environment);
  const draftCheck = useDraftCheck(props.isDirty ? definition : undefined, environment);
  const checked = props.isDirty ? draftCheck : preview;
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
  const title = versionId === undefined ? `First deployment to ${environment}` : sumUp(difference);
  return (
    <DifferenceView
      key={versionId ?? environment}
      difference={difference}
      title={title}
      above={
        versionId === undefined && (
          <section>
            <p className="muted">The deployment turns on the trigger: {definition.trigger.type}.</p>
          </section>
        )
      }
      below={
        preview && (
          <>
            <Issues {...{ checked, environment, definition }} />
            <ModuleSection
              modules={preview.modules}
              isUpdating={props.isUpdating}
              onChange={props.onUpdate}
            />
            <RehearsalSection
              workflowId={workflow.id}
              definition={props.isDirty ? definition : undefined}
              environment={environment}
            />
            <GateSection
              environment={environment}
              gate={gate === undefined ? preview.rehearsalGate : gate}
              onChange={onGate}
            />
            <Underway preview={preview} />
          </>
        )
      }
    />
  );
}

function withMember<T>(set: ReadonlySet<T>, member: T, isMember: boolean): ReadonlySet<T> {
  return isMember ? new Set([...set, member]) : new Set([...set].filter((one) => one !== member));
}

const UNMARKED = { marks: new Map(), edges: new Map(), changes: [], settings: [] } as const;
type Preview = Schemas["PublicationPreview"];

/** Loads the deployment preview of the server: blockers and affected runs. */
function usePreview(id: string, environment: Environment): Preview | undefined {
  const input = { params: { id } };
  const { queryKey } = query("workflows.preview_publish", input);
  return useQuery({
    queryKey: [...queryKey, environment],
    queryFn: ({ signal }) => call("workflows.preview_publish", input, { signal, environment }),
    placeholderData: undefined,
  }).data?.data;
}

const WORDS: Readonly<Record<string, string>> = {
  queued: "queued",
  running: "running",
  waiting: "waiting for a time or an event",
  paused: "waiting for approval or input",
};

/** Runs in progress keep their version. */
function Underway({ preview }: { readonly preview: Preview }) {
  const parts = preview.runs.map(
    (run) => `${count(run.count, "run")} of v${run.version} ${WORDS[run.status] ?? run.status}`,
  );
  return (
    <section>
      <h2>Runs in progress</h2>
      <p className="muted">
        {parts.length === 0
          ? "No runs in progress."
          : `${parts.join(", ")}. They keep their version. A retry can use the new version.`}
      </p>
    </section>
  );
}

type Checked = Pick<Preview, "errors" | "warnings" | "productionValues">;

/** Checks an unsaved draft on the server for this environment. */
function useDraftCheck(
  definition: Definition | undefined,
  environment: Environment,
): Checked | undefined {
  return useQuery({
    queryKey: ["workflows.validate", environment, JSON.stringify(definition)],
    queryFn: ({ signal }) =>
      call(
        "workflows.validate",
        { body: definition as Input<"workflows.validate">["body"] },
        { signal, environment },
      ),
    enabled: definition !== undefined,
  }).data?.data;
}

const stepName = (definition: Definition, key: string): string =>
  findStep(definition, key)?.name ?? key;

/** Errors, missing resources in the environment, and production values that the workflow would use there. */
function Issues(props: {
  readonly checked: Checked | undefined;
  readonly environment: Environment;
  readonly definition: Definition;
}) {
  const { checked, environment, definition } = props;
  if (!checked) return <Loading rows={2} />;
  const issues = [
    ...checked.errors.map((issue) => ({ ...issue, tone: "bad" })),
    ...checked.warnings.map((issue) => ({ ...issue, tone: "warn" })),
  ];
  return (
    <>
      {issues.length > 0 && (
        <section>
          <h2>{checked.errors.length > 0 ? "Problems to fix first" : "Warnings"}</h2>
          <ul className="deploy-issues">
            {issues.map(({ path, stepId, message, tone }) => (
              <li key={path + message} className={tone}>
                {stepId !== undefined && <strong>{stepName(definition, stepId)}</strong>} {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      {checked.productionValues.length > 0 && (
        <section aria-label="Production values">
          <h2>Production values used in {environment}</h2>
          <ul className="deploy-issues">
            {checked.productionValues.map(({ kind, name, connector }) => (
              <li key={kind + name} className="warn">
                {toWords(kind)} <strong>{name}</strong>
                {connector !== undefined && ` (connection ${connector})`}
              </li>
            ))}
          </ul>
          <p className="muted">
            Runs in {environment} use these values. To change this, set separate values under
            Secrets.
          </p>
        </section>
      )}
    </>
  );
}
