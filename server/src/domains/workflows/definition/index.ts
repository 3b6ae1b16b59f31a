/** Workflow definitions: schemas, checks and execution plans. */
export { checkDefinition, sizeErrors } from "./validation/check-definition.ts";
export type { ExpressionCheck } from "./validation/check-context.ts";
export type { DefinitionIssues } from "./validation/check-definition.ts";
export {
  Definition,
  definitionFields,
  DURATION_MS_MAX,
  Edge,
  EDGES_MAX,
  ForEach,
  type GraphDefinition,
  Node,
  NODES_MAX,
  OnError,
  Retry,
  SCOPE_NAMES,
  Tag,
} from "./definition.ts";
export * from "./nodes/data-nodes.ts";
export * from "./nodes/knowledge-node.ts";
export * from "./nodes/flow-nodes.ts";
export * from "./nodes/loop-nodes.ts";
export {
  branchLabels,
  type Config,
  describeNodeType,
  type Effect,
  type NodeType,
  nodeType,
  NodeTypeDescription,
  type NodeTypes,
  nodeTypes,
  type NodeFamily,
  outputSchema,
} from "./node-type.ts";
export { NODE_GROUPS } from "./node-form.ts";
export * from "./nodes/effect-nodes.ts";
export * from "./nodes/saved-nodes.ts";
export * from "./nodes/state-node.ts";
export {
  asksSender,
  compilePlan,
  planOfTrigger,
  type Graph,
  type ExecutionPlan,
  type PlanNode,
  type RetryRule,
  type PlanEdge,
} from "./execution-plan.ts";
export {
  listEdges,
  listNodes,
  locateNode,
  locatePointer,
  type NodePosition,
  type OutlineEdge,
  type OutlineNode,
  toNodeKey,
} from "./outline.ts";
export {
  findTrigger,
  FIRST_TRIGGER_ID,
  listTriggers,
  type NamedTrigger,
  triggerName,
  triggersOfType,
} from "./trigger-list.ts";
export {
  type ChatTrigger,
  checkForm,
  type Dedupe,
  type Form,
  type FormField,
  type FormTrigger,
  HOOK_METHODS,
  type HookAuth,
  type WebhookTrigger,
} from "./triggers/inbound-triggers.ts";
export { findStreamedStep } from "./triggers/streamed-step.ts";
export { findInputErrors } from "./triggers/trigger-schema.ts";
export { type HoldRule, holdRuleOf } from "./triggers/trigger-limits.ts";
export { listBranches } from "./graph-parts.ts";
export { compileCronTimes, nextCronTime } from "./cron-time.ts";
export { checkSchedule } from "./schedule.ts";
export { expression, isTemplate, literalSchema, splitConfig, templateSchema } from "./template.ts";
export {
  describeTriggerType,
  EVENT_SHAPE,
  Trigger,
  type TriggerType,
  TriggerTypeDescription,
  triggerTypes,
} from "./trigger.ts";
export * from "./nodes/model-nodes.ts";
export * from "./nodes/form-node.ts";
export * from "./nodes/waiting-nodes.ts";
export { POLL_EVERY_MS } from "./connector-trigger.ts";
export { APPROVE_ID, CALLS_ID, MCP_ID, TURN_ID } from "./nodes/agent-plan.ts";
