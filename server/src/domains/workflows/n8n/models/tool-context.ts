import type { NodeContext } from "../conversion.ts";
import type { JsonObject, NodePart } from "../n8n-workflow.ts";

/** The means of the conversion of tools. */
export interface ToolContext extends Pick<
  NodeContext,
  "parts" | "bind" | "visible" | "workflowName" | "addWorkflow"
> {
  /** Values that are computed of the item before the agent is asked. */
  readonly given: Map<string, string>;
  /** The names of tools, those of agents among them too. */
  readonly taken: Set<string>;
  readonly approximations: string[];
}

/** Makes the node that carries out a tool. */
export type ConvertTool = (part: NodePart, ctx: ToolContext) => JsonObject;
