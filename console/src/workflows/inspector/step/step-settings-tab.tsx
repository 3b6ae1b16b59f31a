/** The Settings tab of a step: its fields, outputs, error handling and problems. */
import type { ScopeSource } from "../../../code/index.ts";
import { useOp } from "../../../data/api.ts";
import type { Schema } from "../../../form/index.ts";
import { Unfold } from "../../../ui/overlay/unfold.tsx";
import { CodeWords } from "../../../ui/json/code-words.tsx";
import { changeStep } from "../../graph/edit.ts";
import { findGraph, placeOf, type Step } from "../../graph/graph.ts";
import { Branches } from "./branches.tsx";
import type { InspectorProps } from "../inspector-props.ts";
import { Problems } from "../problem-list.tsx";
import type { DefinitionProblem } from "../problems.ts";
import { StepForEach } from "./step-for-each.tsx";
import { StepForm } from "./step-form.tsx";
import { StepSettings } from "./step-settings.tsx";
import { TextArea } from "../../../ui/form/controls.tsx";

interface SettingsProps extends InspectorProps {
  readonly step: Step;
  readonly stepKey: string;
  readonly problems: readonly DefinitionProblem[];
  readonly sources: readonly ScopeSource[];
}

export function StepSettingsTab({
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
      label: `Edit ${step.name ?? step.id}`,
      field,
    });
  const rest = problems.filter(({ path }) => !path.startsWith("/config/"));
  return (
    <>
      {type && (
        <p className="inspector-about">
          <CodeWords text={`${type.summary}.`} />
        </p>
      )}
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
      {data && !type && (
        <p className="problem">
          Unknown step type {step.type}. Delete the step or install its package.
        </p>
      )}
      <Branches
        step={step}
        graph={graph}
        mayEdit={mayEdit}
        onCases={(cases) => change({ ...step, config: { ...step.config, cases } }, "config/cases")}
      />
      <StepForEach
        key={`${stepKey} each`}
        step={step}
        sources={sources}
        problems={rest}
        mayEdit={mayEdit}
        onChange={change}
      />
      <StepNote step={step} mayEdit={mayEdit} onChange={change} />
      <StepSettings step={step} problems={rest} mayEdit={mayEdit} onChange={change} />
      <Problems problems={problems} />
    </>
  );
}

/** A note for other editors. It is shown on the card and does not affect runs. */
function StepNote(props: {
  readonly step: Step;
  readonly mayEdit: boolean;
  readonly onChange: (step: Step, field: string) => void;
}) {
  const { step, mayEdit, onChange } = props;
  const { note = "", ...rest } = step;
  return (
    <Unfold className="inspector-more" isOpen={note !== ""} summary="Note">
      <TextArea
        className="inspector-note"
        aria-label="Note"
        rows={3}
        maxLength={2_000}
        placeholder="Why this step exists"
        readOnly={!mayEdit}
        value={note}
        onChange={({ target }) =>
          onChange(target.value === "" ? rest : { ...rest, note: target.value }, "note")
        }
      />
    </Unfold>
  );
}
