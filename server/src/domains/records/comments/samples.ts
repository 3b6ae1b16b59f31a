import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

async function makeRecord(owner: Ask) {
  count += 1;
  const slug = `sample_comment_${count}`;
  await owner("POST /api/v1/tables", {
    name: slug,
    slug,
    columns: [{ name: "title", type: "text" }],
  });
  const { body } = await owner(`POST /api/v1/tables/${slug}/records`, { title: "One" });
  return { slug, recordId: body.data.id as string };
}

async function makeComment(owner: Ask) {
  const { slug, recordId } = await makeRecord(owner);
  const { body } = await owner(`POST /api/v1/tables/${slug}/records/${recordId}/comments`, {
    body: "Well",
  });
  return { slug, recordId, commentId: body.data.id as string };
}

export const samples: readonly Sample[] = [
  {
    operation: "record_comments.list",
    arrange: async (owner) => ({ params: await makeRecord(owner) }),
  },
  {
    operation: "record_comments.add",
    arrange: async (owner) => ({ params: await makeRecord(owner), body: { body: "Is it paid?" } }),
  },
  {
    operation: "record_comments.add",
    name: "that names somebody",
    async arrange(owner, world) {
      const { userId } = await world.member(["owner"]);
      return { params: await makeRecord(owner), body: { body: `@[${userId}], is it paid?` } };
    },
  },
  {
    operation: "record_comments.edit",
    arrange: async (owner) => ({ params: await makeComment(owner), body: { body: "It is." } }),
  },
  {
    operation: "record_comments.delete",
    arrange: async (owner) => ({ params: await makeComment(owner) }),
  },
  {
    operation: "records.restore",
    async arrange(owner) {
      const params = await makeRecord(owner);
      await owner(`DELETE /api/v1/tables/${params.slug}/records/${params.recordId}`);
      return { params };
    },
  },
  {
    operation: "records.cell_history",
    arrange: async (owner) => ({ params: { ...(await makeRecord(owner)), field: "title" } }),
  },
];
