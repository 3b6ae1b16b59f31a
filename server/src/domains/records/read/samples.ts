import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

async function made(owner: Ask) {
  count += 1;
  const slug = `sample_read_${count}`;
  const columns = [
    { name: "title", type: "text" },
    { name: "agent", type: "reference", options: { table: "users" } },
  ];
  await owner("POST /api/v1/tables", { name: slug, slug, columns });
  const { body } = await owner(`POST /api/v1/tables/${slug}/records`, { title: "One" });
  return { slug, recordId: body.data.id as string };
}

export const samples: readonly Sample[] = [
  {
    operation: "records.list",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return {
        params: { slug },
        query: {
          filter: '{"title":"One"}',
          sort: "-title",
          expand: "agent",
          q: "o",
          count: "exact",
        },
      };
    },
  },
  {
    operation: "records.list_ids",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, query: { sort: "-title", offset: "0", limit: "10" } };
    },
  },
  {
    operation: "records.summarize",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, query: { by: "title", figures: "filled:title" } };
    },
  },
  {
    operation: "records.preview",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      const rules = [{ roles: ["agent"], actions: ["read"], where: { title: "One" } }];
      const body = {
        roles: ["agent"],
        userId: "usr_01jd0000000000000000000000",
        rules,
        filter: { title: "One" },
      };
      return { params: { slug }, body: { ...body, limit: 10 } };
    },
  },
  {
    operation: "records.get_access",
    arrange: async (owner) => ({ query: { tables: (await made(owner)).slug } }),
  },
  {
    operation: "records.find_similar",
    arrange: async (owner) => {
      count += 1;
      const slug = `sample_near_${count}`;
      const columns = [{ name: "at", type: "vector", options: { dimensions: 2 } }];
      await owner("POST /api/v1/tables", { name: slug, slug, columns });
      const body = { column: "at", vector: [1, 2], filter: { at: { ne: null } }, fields: ["at"] };
      return { params: { slug }, body: { ...body, scoreMin: 0.5, limit: 10 } };
    },
  },
  { operation: "records.get", arrange: async (owner) => ({ params: await made(owner) }) },
];
