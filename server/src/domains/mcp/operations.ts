import Type from "typebox";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { answerAgent } from "./agent-server.ts";
import { McpConnect } from "./approvals/agent-call.ts";

export const serveAgent = command({
  id: "mcp.serve",
  route: "POST /mcp",
  summary: "Serve an agent by the Model Context Protocol",
  description:
    "Streamable HTTP without sessions, revision 2026-07-28, and 2025-11-25 for older clients. The workspace is that of " +
    "`X-Workspace` or `?workspace=`, or the only one that the token is good for. Tools are operations within the scopes of the " +
    "token: each call is performed and logged as if it had come over HTTP. It takes an API token or one of an OAuth application, " +
    "and no session of a person.",
  permission: McpConnect,
  readsRequest: true,
  infersWorkspace: true,
  actsOutside: true,
  longRunning: true,
  ephemeral: true,
  response: {
    ...rawResponse<RawResponse>(Type.Unknown(), "Messages of JSON-RPC."),
    status: 200,
  },
  emits: [],
  example: {},
  async prepare(platform, _input, caller) {
    if (caller.credential?.kind === "session") {
      const detail =
        "An agent needs a token of its own: what it does must be told from what you do.";
      throw new Failure(Forbidden, { detail });
    }
    return answerAgent(platform, caller);
  },
  run: async (_ctx, _input, response) => response,
});
