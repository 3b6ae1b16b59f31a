import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

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
  { operation: "files.delete", arrange: upload },
];
