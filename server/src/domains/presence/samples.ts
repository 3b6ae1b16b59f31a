import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

async function arrangeThing(owner: Ask) {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "Looked at" });
  return { params: { thing: body.data.id as string } };
}

async function arrangePresence(owner: Ask) {
  const arranged = await arrangeThing(owner);
  await owner(`PUT /api/v1/presence/${arranged.params.thing}`, { state: "viewing" });
  return arranged;
}

export const samples: readonly Sample[] = [
  { operation: "presence.get", arrange: arrangePresence },
  {
    operation: "presence.put",
    arrange: async (owner) => ({ ...(await arrangeThing(owner)), body: { state: "editing" } }),
  },
  {
    operation: "presence.list",
    async arrange(owner) {
      const { params } = await arrangePresence(owner);
      return { query: { things: params.thing } };
    },
  },
  { operation: "presence.leave", arrange: arrangePresence },
];
