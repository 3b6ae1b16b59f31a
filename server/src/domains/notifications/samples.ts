import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

async function idOf(owner: Ask): Promise<string> {
  return (await owner("GET /api/v1/auth/me")).body.data.user.id;
}

let count = 0;

/** A notification in the owner's inbox, which is the same in all environments. */
async function received(owner: Ask) {
  count += 1;
  const title = `Sample ${count}`;
  await owner("POST /api/v1/notifications", { userIds: [await idOf(owner)], title, body: "Text" });
  const { body } = await owner("GET /api/v1/notifications?limit=200&unread=true");
  const { id } = body.data.find((one: { title: string }) => one.title === title);
  return { params: { id: id as string }, environmentScoped: false };
}

async function readBefore(owner: Ask) {
  const arranged = await received(owner);
  await owner(`POST /api/v1/notifications/${arranged.params.id}/read`);
  return arranged;
}

export const samples: readonly Sample[] = [
  { operation: "notifications.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "notifications.count_unread", arrange: async () => ({}) },
  { operation: "notifications.get", arrange: received },
  {
    operation: "notifications.send",
    arrange: async (owner) => ({
      body: { userIds: [await idOf(owner)], title: "A sample", body: "Text" },
    }),
  },
  { operation: "notifications.read", arrange: received },
  { operation: "notifications.unread", arrange: readBefore },
  {
    operation: "notifications.update",
    arrange: async (owner) => ({ ...(await received(owner)), body: { read: true } }),
  },
  {
    operation: "notifications.update",
    name: "to unread",
    arrange: async (owner) => ({ ...(await readBefore(owner)), body: { read: false } }),
  },
  {
    operation: "notifications.read_all",
    arrange: async (owner) => {
      await received(owner);
      return {};
    },
  },
  { operation: "notifications.delete", arrange: received },
  { operation: "notifications.get_preferences", arrange: async () => ({}) },
  {
    operation: "notifications.set_preferences",
    arrange: async () => ({ body: { email: false } }),
  },
];
