export { Inspector } from "./inspector.tsx";
export type { InspectorAct, InspectorProps } from "./inspector-props.ts";
export { type DefinitionProblem, pointerOfStep, problemsOfStep } from "./problems.ts";
export { StepFailure, StepInput, StepLog } from "./step/step-result.tsx";
