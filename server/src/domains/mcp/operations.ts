import Type from "typebox";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { answerAgent } from "./agent-server.ts";
import { McpConnect } from "./approvals/agent-call.ts";

export const serveAgent = command({
  id: "mcp.serve",
  route: "POST /mcp",
  summary: "Handle a Model Context Protocol request",
  description:
    "Streamable HTTP without sessions, revision 2026-07-28, and 2025-11-25 for older clients. The workspace is `X-Workspace` or `?workspace=`, or the only workspace of the token. Tools are operations within the scopes of the token: each call runs and is logged like a call over HTTP. Requires an API token or a token of an OAuth application; user sessions are not accepted.",
  permission: McpConnect,
  readsRequest: true,
  infersWorkspace: true,
  actsOutside: true,
  longRunning: true,
  ephemeral: true,
  response: {
    ...rawResponse<RawResponse>(Type.Unknown(), "JSON-RPC messages."),
    status: 200,
  },
  emits: [],
  example: {},
  async prepare(platform, _input, caller) {
    if (caller.credential?.kind === "session") {
      const detail =
        "An agent requires its own token, so that its actions can be distinguished from yours.";
      throw new Failure(Forbidden, { detail });
    }
    return answerAgent(platform, caller);
  },
  run: async (_ctx, _input, response) => response,
});
