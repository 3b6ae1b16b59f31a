import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

async function remember(owner: Ask): Promise<{ id: string }> {
  count += 1;
  const { body } = await owner("POST /api/v1/agent-memories", {
    key: `customer ${count}`,
    messages: [{ role: "user", content: "Where is my order?" }],
  });
  return { id: body.data.id };
}

export const samples: readonly Sample[] = [
  {
    operation: "agent_memories.list",
    arrange: async (owner) => {
      await remember(owner);
      return {};
    },
  },
  {
    operation: "agent_memories.get",
    arrange: async (owner) => ({ params: await remember(owner) }),
  },
  {
    operation: "agent_memories.append",
    arrange: async () => ({
      body: { key: "customer 17", messages: [{ role: "assistant", content: "On its way." }] },
    }),
  },
  {
    operation: "agent_memories.delete",
    arrange: async (owner) => ({ params: await remember(owner) }),
  },
];
