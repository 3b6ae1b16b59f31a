import { domain } from "#kernel/domain.ts";
import { McpConnect, serveAgent } from "./operations.ts";

export const mcp = domain({
  name: "mcp",
  summary: "Agents that act by the Model Context Protocol, within the scopes of their tokens.",
  permissions: [McpConnect],
  events: [],
  operations: [serveAgent],
});
