import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function fresh(word: string): string {
  count += 1;
  return `${word}_${count}`;
}

async function item(owner: Ask): Promise<string> {
  const body = { name: "A sample", class: "server", attributes: { cpus: 4 } };
  return (await owner("POST /api/v1/cmdb/items", body)).body.data.id;
}

async function pair(owner: Ask) {
  const [from, to] = [await item(owner), await item(owner)];
  const body = { from, to, type: "hosted_on" };
  const { id } = (await owner("POST /api/v1/cmdb/relationships", body)).body.data;
  return { from, to, id: id as string };
}

async function itemClass(owner: Ask): Promise<string> {
  const name = fresh("sample_class");
  const attributes = { cpus: { type: "integer", required: true } };
  await owner("POST /api/v1/cmdb/classes", { name, attributes });
  return name;
}

export const samples: readonly Sample[] = [
  {
    operation: "cmdb.list_items",
    arrange: async () => ({
      query: { class: "server", limit: "2", filter: '{"status":"active"}' },
    }),
  },
  {
    operation: "cmdb.create_item",
    arrange: async () => ({
      body: {
        name: "web-1",
        class: "server",
        key: fresh("web"),
        status: "planned",
        description: "A sample",
        attributes: { os: "linux", tags: ["a"] },
      },
    }),
  },
  {
    operation: "cmdb.get_item",
    arrange: async (owner) => ({ params: { id: await item(owner) } }),
  },
  {
    operation: "cmdb.update_item",
    arrange: async (owner) => ({
      params: { id: await item(owner) },
      body: { status: "maintenance", attributes: { cpus: 8 } },
    }),
  },
  {
    operation: "cmdb.delete_item",
    arrange: async (owner) => ({ params: { id: await item(owner) } }),
  },
  {
    operation: "cmdb.delete_item",
    name: "with what ties it",
    arrange: async (owner) => ({
      params: { id: (await pair(owner)).from },
      query: { force: "true" },
    }),
  },
  {
    operation: "cmdb.item_history",
    arrange: async (owner) => ({ params: { id: await item(owner) } }),
  },
  { operation: "cmdb.list_classes", arrange: async () => ({ query: { limit: "3" } }) },
  {
    operation: "cmdb.create_class",
    arrange: async () => ({
      body: {
        name: fresh("sample_class"),
        label: "Sample",
        extends: "server",
        attributes: { type: "object", properties: { cpus: { type: "integer" } } },
      },
    }),
  },
  {
    operation: "cmdb.get_class",
    arrange: async (owner) => ({ params: { name: await itemClass(owner) } }),
  },
  {
    operation: "cmdb.update_class",
    arrange: async (owner) => ({
      params: { name: await itemClass(owner) },
      body: { label: "Another", description: "A sample" },
    }),
  },
  {
    operation: "cmdb.delete_class",
    arrange: async (owner) => ({ params: { name: await itemClass(owner) } }),
  },
  {
    operation: "cmdb.create_relationship",
    arrange: async (owner) => ({
      body: { from: await item(owner), to: await item(owner), type: "depends_on" },
    }),
  },
  {
    operation: "cmdb.list_relationships",
    arrange: async (owner) => ({ query: { item: (await pair(owner)).to, type: "hosted_on" } }),
  },
  {
    operation: "cmdb.get_relationship",
    arrange: async (owner) => ({ params: { id: (await pair(owner)).id } }),
  },
  {
    operation: "cmdb.delete_relationship",
    arrange: async (owner) => ({ params: { id: (await pair(owner)).id } }),
  },
  {
    operation: "cmdb.topology",
    arrange: async (owner) => ({ query: { root: (await pair(owner)).from, direction: "both" } }),
  },
  {
    operation: "cmdb.impact",
    arrange: async (owner) => ({ params: { id: (await pair(owner)).to }, query: { depth: "2" } }),
  },
  {
    operation: "cmdb.path",
    arrange: async (owner) => {
      const { from, to } = await pair(owner);
      return { query: { from, to } };
    },
  },
  {
    operation: "cmdb.import",
    arrange: async (owner) => {
      const [old, key] = [fresh("old"), fresh("new")];
      await owner("POST /api/v1/cmdb/items", { name: "Old", class: "server", key: old });
      return {
        body: {
          format: "json",
          class: "server",
          items: [
            { key: old, name: "Changed" },
            { key, name: "New" },
          ],
          relationships: [{ from: { key: old }, to: { key }, type: "uses" }],
        },
      };
    },
  },
  {
    operation: "cmdb.export",
    arrange: async () => ({ query: { format: "csv", formulas: "raw" } }),
  },
];
