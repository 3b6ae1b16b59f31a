import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  {
    operation: "mcp.serve",
    arrange: async (owner, world) => {
      const input = { name: "Agent", expiresIn: "30d", scopes: ["mcp:connect"] };
      const { body } = await owner("POST /api/v1/auth/tokens", input);
      return {
        by: world.asToken(body.data.token, "default"),
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
        environmentScoped: false,
        partitioned: false,
      };
    },
  },
];
