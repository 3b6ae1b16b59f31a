import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

const draft = { name: "Robot", expiresIn: "30d", scopes: ["workspaces:read"] };

async function aToken(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/auth/tokens", draft);
  return body.data.id;
}

export const samples: readonly Sample[] = [
  { operation: "tokens.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "tokens.create", arrange: async () => ({ body: draft }) },
  {
    operation: "tokens.rotate",
    arrange: async (owner) => ({ body: { id: await aToken(owner) } }),
  },
  { operation: "users.list_tokens", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "users.revoke_token",
    arrange: async (owner) => ({ params: { id: await aToken(owner) }, environmentScoped: false }),
  },
  {
    operation: "tokens.revoke",
    arrange: async (owner) => ({ params: { id: await aToken(owner) }, environmentScoped: false }),
  },
];
