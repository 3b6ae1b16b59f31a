export {
  type AnyStep,
  defineWorkflow,
  environment,
  GraphBuilder,
  run,
  secret,
  type Step,
  type StepOptions,
  WorkflowBuilder,
  type WorkflowFile,
  type WorkflowHead,
  workspace,
} from "./builder.ts";
export { printWorkflow } from "./print.ts";
export {
  type AnyRef,
  type DeepTemplated,
  Expression,
  expression,
  type ExpressionText,
  type Ref,
  type Reference,
  template,
  type Templated,
  type TemplateText,
} from "./reference.ts";
export type { Connectors, NodeTypes, Secrets, Tables, TriggerScopes } from "./workspace-types.ts";
