import type { NodeContext } from "../conversion.ts";
import type { JsonObject, NodePart } from "../n8n-workflow.ts";

/** Everything needed to convert tools. */
export interface ToolContext extends Pick<
  NodeContext,
  "parts" | "bind" | "visible" | "workflowName" | "addWorkflow"
> {
  /** Values computed from the item before the agent runs. */
  readonly given: Map<string, string>;
  /** Used tool names, including agent tools. */
  readonly taken: Set<string>;
  readonly approximations: string[];
}

/** Creates the node that executes a tool. */
export type ConvertTool = (part: NodePart, ctx: ToolContext) => JsonObject;
