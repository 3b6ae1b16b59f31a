/** The panel of a step: settings, values for its expressions, and last result. */
import { useMemo, useState } from "react";
import { CaretContext, type CaretField } from "../../../code/index.ts";
import { useOp } from "../../../data/api.ts";
import { useMay } from "../../../data/people.ts";
import { useActions } from "../../../shell/actions.ts";
import { State } from "../../../ui/state.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import type { Step } from "../../graph/graph.ts";
import type { InspectorProps } from "../inspector-props.ts";
import { usePins } from "../values/pins.ts";
import { problemsOfStep } from "../problems.ts";
import { toPinKey } from "../values/sources.ts";
import { StepHead } from "./step-head.tsx";
import { StepInput, StepLog, StepOutput } from "./step-result.tsx";
import { StepSettingsTab } from "./step-settings-tab.tsx";
import { useTrial } from "./trial.ts";
import { useSources } from "../values/use-sources.ts";
import { ValuesPanel } from "../values/values-panel.tsx";

const EDITOR = ".editor-canvas, .editor-side";

type TabId = "settings" | "input" | "output" | "log";
const NO_ITEMS: ReadonlyMap<string, number> = new Map();

export function StepPanel(
  props: InspectorProps & { readonly step: Step; readonly stepKey: string },
) {
  const { definition, step, stepKey, run, runId, problems, mayEdit, trigger } = props;
  const { workflowId, items = NO_ITEMS } = props;
  const [tab, setTab] = useState<TabId>("settings");
  const [caret, setCaret] = useState<CaretField>();
  const may = useMay();
  const pins = usePins(workflowId, props.onSave);
  const { trialOf, start } = useTrial();
  const pinKey = toPinKey(stepKey);
  const isPinned = Object.hasOwn(pins.outputs, pinKey);
  const isStandIn = useEffectOf(step.type) !== "pure" && !isPinned;
  const trial = trialOf(stepKey);
  const result = trial.step ?? run.steps.get(stepKey);
  const own = useMemo(
    () => problemsOfStep(definition, stepKey, problems),
    [definition, stepKey, problems],
  );
  const sources = useSources({
    definition,
    run,
    trigger,
    items,
    workflowId,
    runId,
    key: stepKey,
    pins: pins.outputs,
  });
  const { mockError, setMockError } = useMockError(props, stepKey);
  const testDisabled =
    may("workflows.trigger") && mayEdit
      ? undefined
      : "You don't have permission to test this workflow.";
  const test = (): void => {
    setTab("output");
    void start({ workflowId, definition, stepKey, runId, items, mockError, isStandIn });
  };
  const pin = (output: unknown): Promise<boolean> => pins.pin(pinKey, output);
  const pinDisabled = mayEdit
    ? isPinned || result?.output !== undefined
      ? undefined
      : "The step has no output yet."
    : "You don't have permission to edit this workflow.";
  useActions([
    { keys: "t", label: "Test step", run: test, disabled: testDisabled, within: EDITOR },
    {
      keys: "p",
      label: isPinned ? "Unpin data" : "Pin data",
      run: () => void pin(isPinned ? undefined : result?.output),
      disabled: pinDisabled,
      within: EDITOR,
    },
  ]);
  const caretState = useMemo(() => ({ field: caret, onFocus: setCaret }), [caret]);
  const pinMark = isPinned ? { mark: <i className="pin-dot" title="Pinned" /> } : {};
  return (
    <CaretContext value={caretState}>
      <StepHead {...props} />
      <Tabs
        label="Step"
        className="inspector-tabs"
        tabs={[
          { id: "settings", label: "Settings" },
          { id: "input", label: "Input" },
          { id: "output", label: "Output", ...pinMark },
          { id: "log", label: "Log" },
        ]}
        chosen={tab}
        onChoose={setTab}
        aside={
          trial.isNotExecuted ? (
            <State state="skipped" label="Not executed" />
          ) : (
            result && <State state={result.status} />
          )
        }
      >
        <div className="inspector-body scroll" tabIndex={-1}>
          {tab === "settings" && <StepSettingsTab {...props} problems={own} sources={sources} />}
          {tab === "input" && <StepInput result={result} />}
          {tab === "output" && (
            <StepOutput
              key={stepKey}
              stepId={step.id}
              {...{ result, trial, mayEdit, testDisabled, mockError }}
              pinned={isPinned ? { output: pins.outputs[pinKey] } : undefined}
              onTest={test}
              onPin={pin}
              onMockError={setMockError}
            />
          )}
          {tab === "log" && <StepLog result={result} />}
        </div>
        {tab === "settings" && <ValuesPanel sources={sources} />}
      </Tabs>
    </CaretContext>
  );
}

/** Returns whether steps of a type compute, call other systems or wait. */
function useEffectOf(type: string): string {
  const { data } = useOp("workflows.node_types", undefined, { staleTime: Infinity });
  return data?.data.nodeTypes.find((one) => one.type === type)?.effect ?? "pure";
}

/** The mock error of the step; local state if no parent provides it. */
function useMockError({ mockErrors, onMockError }: InspectorProps, stepKey: string) {
  const [own, setOwn] = useState<{ readonly key: string; readonly text: string }>();
  const mockError = mockErrors?.get(stepKey) ?? (own?.key === stepKey ? own.text : undefined);
  const setMockError = (text: string | undefined): void => {
    if (onMockError) onMockError(stepKey, text);
    else setOwn(text === undefined ? undefined : { key: stepKey, text });
  };
  return { mockError, setMockError };
}
