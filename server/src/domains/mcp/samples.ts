import { register, tokensFor } from "#domains/identity/oauth/testing/authorization-flow.ts";
import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

const POLICY = {
  demands: "drastic",
  operations: [],
  permissions: [],
  approvers: ["owner"],
  fourEyes: false,
  expiresInHours: 24,
};
const shared = { environmentScoped: false } as const;

async function makeAgent(owner: Ask, world: World): Promise<Ask> {
  const scopes = ["mcp:connect", "workflows:write"];
  const input = { name: "Agent", expiresIn: "30d", scopes };
  const { body } = await owner("POST /api/v1/auth/tokens", input);
  return world.asToken(body.data.token, "default");
}

/** An agent, and a call that requires approval. */
async function arrangeCall(owner: Ask, world: World): Promise<Arranged> {
  await owner("PUT /api/v1/agents/policy", POLICY);
  const draft = { name: "Doomed", trigger: { type: "manual" }, nodes: [], edges: [] };
  const { body } = await owner("POST /api/v1/workflows", draft);
  const call = { operation: "workflows.archive", input: { id: body.data.id as string } };
  return { ...shared, by: await makeAgent(owner, world), body: call };
}

/** A call that waits. */
async function arrangePending(owner: Ask, world: World): Promise<Arranged> {
  const { by, body } = await arrangeCall(owner, world);
  const answer = await by?.("POST /api/v1/agent-calls", body);
  return { ...shared, params: { id: answer?.body.data.id as string } };
}

export const samples: readonly Sample[] = [
  {
    operation: "mcp.serve",
    arrange: async (owner, world) => ({
      by: await makeAgent(owner, world),
      body: { jsonrpc: "2.0", id: 1, method: "ping" },
      environmentScoped: false,
      partitioned: false,
    }),
  },
  {
    operation: "agents.list",
    arrange: async (owner, world) => {
      await makeAgent(owner, world);
      return shared;
    },
  },
  {
    operation: "agents.revoke",
    arrange: async (owner) => {
      const input = { name: "Agent", expiresIn: "30d", scopes: ["mcp:connect"] };
      const { body } = await owner("POST /api/v1/auth/tokens", input);
      return { ...shared, params: { id: body.data.id as string } };
    },
  },
  {
    operation: "agents.revoke",
    name: "an application",
    arrange: async (owner, world) => {
      const application = await register(owner, { allowedScopes: ["mcp:connect"] });
      await tokensFor(world, owner.token ?? "", application, { scope: "mcp:connect" });
      const { body } = await owner("GET /api/v1/agents?limit=1");
      return { ...shared, params: { id: body.data[0].id as string } };
    },
  },
  {
    operation: "agent_policy.get",
    arrange: async () => ({ ...shared, partitioned: false }),
  },
  {
    operation: "agent_policy.set",
    arrange: async () => ({ ...shared, partitioned: false, body: POLICY }),
  },
  { operation: "agent_calls.request", arrange: arrangeCall },
  { operation: "agent_calls.list", arrange: async () => shared },
  { operation: "agent_calls.get", arrange: arrangePending },
  { operation: "agent_calls.approve", arrange: arrangePending },
  { operation: "agent_calls.reject", arrange: arrangePending },
  { operation: "agent_calls.cancel", arrange: arrangePending },
];
