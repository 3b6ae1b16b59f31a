import type { Ask } from "./world.ts";
import type { Sample } from "./samples.ts";

let count = 0;

async function aNote(owner: Ask): Promise<{ id: string }> {
  count += 1;
  const { body } = await owner("POST /api/v1/notes", { title: `Note ${count}`, body: "" });
  return { id: body.data.id };
}

export const samples: readonly Sample[] = [
  {
    operation: "notes.create",
    arrange: async () => {
      count += 1;
      return { body: { title: `Note ${count}`, body: "Text" } };
    },
  },
  { operation: "notes.get", arrange: async (owner) => ({ params: await aNote(owner) }) },
  { operation: "notes.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "notes.update",
    arrange: async (owner) => ({ params: await aNote(owner), body: { body: "Other text" } }),
  },
  { operation: "notes.delete", arrange: async (owner) => ({ params: await aNote(owner) }) },
];
