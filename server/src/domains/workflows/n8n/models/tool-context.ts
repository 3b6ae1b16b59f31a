import type { NodeContext } from "../conversion.ts";

/** The means of the conversion of tools. */
export interface ToolContext extends Pick<NodeContext, "parts" | "bind" | "visible"> {
  /** Values that are computed of the item before the agent is asked. */
  readonly given: Map<string, string>;
  readonly approximations: string[];
}
