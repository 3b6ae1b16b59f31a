/** A step: its settings with the values they may use, and how it went. */
import { X } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { CaretContext, type CaretField } from "../../code/index.ts";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Schema } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { kindOf } from "../canvas/step-kinds.ts";
import { changeStep } from "../graph/edit.ts";
import { findGraph, idOf, placeOf, type Step, toKey } from "../graph/graph.ts";
import { Branches } from "./branches.tsx";
import type { InspectorProps } from "./inspector-props.ts";
import { usePins } from "./pins.ts";
import { type DefinitionProblem, problemsOfStep } from "./problems.ts";
import { listSources } from "./sources.ts";
import { StepForm } from "./step-form.tsx";
import { changeStepId, stepIdError } from "./step-id.ts";
import { StepInput, StepLog, StepOutput } from "./step-result.tsx";
import { StepSettings } from "./step-settings.tsx";
import { useTrial } from "./trial.ts";
import { ValuesPanel } from "./values-panel.tsx";

type TabId = "settings" | "input" | "output" | "log";
const NO_ITEMS: ReadonlyMap<string, number> = new Map();

export function StepPanel(
  props: InspectorProps & { readonly step: Step; readonly stepKey: string },
) {
  const { definition, step, stepKey, run, problems, mayEdit, trigger, items = NO_ITEMS } = props;
  const [tab, setTab] = useState<TabId>("settings");
  const [caret, setCaret] = useState<CaretField>();
  const may = useMay();
  const pins = usePins(props.workflowId);
  const { trialOf, start } = useTrial();
  const trial = trialOf(stepKey);
  const result = trial.step ?? run.steps.get(stepKey);
  const own = useMemo(
    () => problemsOfStep(definition, stepKey, problems),
    [definition, stepKey, problems],
  );
  const sources = useMemo(
    () => listSources({ definition, key: stepKey, run, pins: pins.outputs, trigger, items }),
    [definition, stepKey, run, pins.outputs, trigger, items],
  );
  const testDisabled =
    placeOf(stepKey) !== ""
      ? "A step of a loop is tested with the whole workflow."
      : may("workflows:trigger") && mayEdit
        ? undefined
        : "You may not test this workflow.";
  const test = (): void => {
    setTab("output");
    void start({ ...props, pins: pins.outputs, trigger });
  };
  const isPinned = Object.hasOwn(pins.outputs, step.id);
  const pin = (output: unknown): void => void pins.pin(step.id, output);
  useActions([
    { keys: "t", label: "Test this step", run: test, disabled: testDisabled },
    {
      keys: "p",
      label: isPinned ? "Unpin the output" : "Pin the output",
      run: () => pin(isPinned ? undefined : result?.output),
      disabled: mayEdit
        ? isPinned || result?.output !== undefined
          ? undefined
          : "Nothing came out yet."
        : "You may not edit it.",
    },
  ]);
  const caretState = useMemo(() => ({ field: caret, onFocus: setCaret }), [caret]);
  return (
    <CaretContext value={caretState}>
      <StepHead {...props} />
      <Tabs
        label="Step"
        className="inspector-tabs"
        tabs={[
          { id: "settings", label: "Settings" },
          { id: "input", label: "Input" },
          {
            id: "output",
            label: "Output",
            ...(isPinned && { mark: <i className="pin-dot" title="Pinned" /> }),
          },
          { id: "log", label: "Log" },
        ]}
        chosen={tab}
        onChoose={setTab}
        aside={result && <State state={result.status} />}
      >
        <div className="inspector-body scroll" tabIndex={-1}>
          {tab === "settings" && <Settings {...props} problems={own} sources={sources} />}
          {tab === "input" && <StepInput result={result} />}
          {tab === "output" && (
            <StepOutput
              key={stepKey}
              stepId={step.id}
              result={result}
              trial={trial}
              pinned={isPinned ? { output: pins.outputs[step.id] } : undefined}
              mayEdit={mayEdit}
              testDisabled={testDisabled}
              onTest={test}
              onPin={pin}
            />
          )}
          {tab === "log" && <StepLog result={result} />}
        </div>
        {tab === "settings" && <ValuesPanel sources={sources} />}
      </Tabs>
    </CaretContext>
  );
}

function StepHead(props: InspectorProps & { readonly step: Step; readonly stepKey: string }) {
  const { step, stepKey, definition, mayEdit, onChange } = props;
  const { icon: Icon, tone } = kindOf(step.type);
  const rename = (name: string): void => {
    const { name: _, ...rest } = step;
    const next = name === "" ? rest : { ...rest, name };
    onChange(changeStep(definition, stepKey, step, next), { label: "Rename", field: "name" });
  };
  return (
    <header className="inspector-head">
      <span className={`step-icon k-${tone}`}>
        <Icon />
      </span>
      <span className="grow stack">
        <input
          className="inspector-name"
          aria-label="Name of the step"
          placeholder={step.id}
          value={step.name ?? ""}
          readOnly={!mayEdit}
          onChange={({ target }) => rename(target.value)}
        />
        <StepId key={stepKey} {...props} />
      </span>
      <button type="button" className="btn bare icon" aria-label="Close" onClick={props.onClose}>
        <X />
      </button>
    </header>
  );
}

/** The id is part of expressions: it changes when one is done, with all that name it. */
function StepId(props: InspectorProps & { readonly stepKey: string }) {
  const { definition, stepKey, mayEdit, onChange } = props;
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const problem = typed === undefined ? undefined : stepIdError(definition, stepKey, typed);
  const finish = (): void => {
    if (typed !== undefined && problem === undefined && typed !== idOf(stepKey)) {
      onChange(changeStepId(definition, stepKey, typed), {
        label: "Change the id",
        field: "id",
        stepKey: toKey(placeOf(stepKey), typed),
      });
    }
    setTyped(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setTyped(undefined);
    else if (event.key === "Enter") finish();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className="inspector-id mono">
      steps.
      <input
        aria-label="Id of the step"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : id}
        value={typed ?? idOf(stepKey)}
        readOnly={!mayEdit}
        size={Math.max(4, (typed ?? idOf(stepKey)).length)}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={onKeyDown}
        onBlur={finish}
      />
      {problem !== undefined && (
        <span id={id} className="form-error">
          {problem}
        </span>
      )}
    </span>
  );
}

interface SettingsProps extends InspectorProps {
  readonly step: Step;
  readonly stepKey: string;
  readonly problems: readonly DefinitionProblem[];
  readonly sources: ReturnType<typeof listSources>;
}

function Settings({
  step,
  stepKey,
  definition,
  problems,
  sources,
  mayEdit,
  onChange,
}: SettingsProps) {
  const { data } = useOp("workflows.node_types", undefined, { staleTime: Infinity });
  const type = data?.data.nodeTypes.find((one) => one.type === step.type);
  const graph = findGraph(definition, placeOf(stepKey)) ?? definition;
  const change = (next: Step, field: string): void =>
    onChange(changeStep(definition, stepKey, step, next), {
      label: `Change ${step.name ?? step.id}`,
      field,
    });
  const rest = problems.filter(({ path }) => !path.startsWith("/config/"));
  return (
    <>
      {type && <p className="inspector-about">{type.summary}.</p>}
      {type && (
        <StepForm
          key={stepKey}
          step={step}
          schema={type.config as Schema}
          sources={sources}
          problems={problems}
          mayEdit={mayEdit}
          onChange={(config, field) => change({ ...step, config }, `config${field}`)}
        />
      )}
      {data && !type && <p className="problem">There is no type {step.type} here.</p>}
      <Branches
        step={step}
        graph={graph}
        mayEdit={mayEdit}
        onCases={(cases) => change({ ...step, config: { ...step.config, cases } }, "config/cases")}
      />
      <StepSettings step={step} problems={rest} mayEdit={mayEdit} onChange={change} />
      <Problems problems={problems} />
    </>
  );
}

/** Below the fields: above them it would move the field under an open completion. */
export function Problems({ problems }: { readonly problems: readonly DefinitionProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="inspector-problems" aria-label="Problems">
      {problems.map(({ path, message, isWarning }) => (
        <li key={path + message} className={isWarning ? "warn" : "bad"}>
          <span className="mono">{path.replace(/^\/config/, "").replace(/^\//, "") || "step"}</span>{" "}
          {message}
        </li>
      ))}
    </ul>
  );
}
