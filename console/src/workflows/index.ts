export { Canvas, type CanvasHandle } from "./canvas/canvas.tsx";
export type { CanvasView } from "./canvas/canvas-nodes.ts";
export type { CardHandlers } from "./canvas/step-card.tsx";
export { kindOf } from "./canvas/step-kinds.ts";
export { ReferencePicker } from "./inspector/reference-picker.tsx";
export {
  AnyValue,
  isTemplateText,
  ObjectValue,
  SwitchField,
  TextExpression,
} from "./inspector/values/value-field.tsx";
export { bodyOf, type Definition, findStep, type Graph, walkSteps } from "./graph/graph.ts";
export { type Folding, UNFOLDED } from "./graph/layout.ts";
export {
  findHeaviest,
  itemsOf,
  type LoopView,
  NO_RUN,
  type NodeSummary,
  type RunStep,
  type RunView,
  toStepKey,
  viewSummary,
} from "./graph/run-view.ts";
