import "./inspector.css";
import { findStep } from "../graph/graph.ts";
import { TRIGGER } from "../graph/layout.ts";
import type { InspectorProps } from "./inspector-props.ts";
import { StepPanel } from "./step/step-panel.tsx";
import { TriggerPanel } from "./trigger/trigger-panel.tsx";

/** The settings of the selected step or the trigger. */
export function Inspector(props: InspectorProps) {
  const { definition, stepKey } = props;
  if (stepKey === undefined || stepKey === TRIGGER) {
    return (
      <aside className="inspector" aria-label="Trigger">
        <TriggerPanel {...props} />
      </aside>
    );
  }
  const step = findStep(definition, stepKey);
  if (!step) return null;
  return (
    <aside className="inspector" aria-label={`Step ${step.name ?? step.id}`}>
      <StepPanel {...props} step={step} stepKey={stepKey} />
    </aside>
  );
}
