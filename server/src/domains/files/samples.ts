import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

const DOT_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function upload(owner: Ask): Promise<{ params: { id: string } }> {
  const { body } = await owner("POST /api/v1/files?name=router.json", { link: "down" });
  return { params: { id: body.data.id as string } };
}

export const samples: readonly Sample[] = [
  {
    operation: "files.upload",
    arrange: async () => ({ query: { name: "router.json" }, body: { link: "down" } }),
  },
  { operation: "files.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "files.usage", arrange: async () => ({}) },
  { operation: "files.get", arrange: upload },
  { operation: "files.download", arrange: upload },
  { operation: "files.create_link", arrange: upload },
  {
    operation: "files.open_link",
    async arrange(owner) {
      const { params } = await upload(owner);
      const { body } = await owner(`GET /api/v1/files/${params.id}/link`);
      const token = new URL(body.data.url as string).pathname.split("/").at(-1) ?? "";
      return { params: { token } };
    },
  },
  {
    operation: "files.thumbnail",
    async arrange(_owner, world) {
      // The owner of the sweep. `Ask` cannot send bytes.
      const owner = await world.member(["owner"]);
      const { payload } = await world.app.inject({
        method: "POST",
        url: "/api/v1/files?name=dot.png",
        headers: { authorization: `Bearer ${owner.token}`, "x-workspace": "default" },
        payload: Buffer.from(DOT_PNG, "base64"),
      });
      return { params: { id: JSON.parse(payload).data.id as string }, by: owner };
    },
  },
  { operation: "files.delete", arrange: upload },
];
