import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

/** Creates a table with a record, and another record whose reference is cleared with it. */
async function made(owner: Ask) {
  count += 1;
  const slug = `sample_write_${count}`;
  const tables = "/api/v1/tables";
  const columns = [
    { name: "title", type: "text", unique: true },
    { name: "amount", type: "integer" },
  ];
  await owner(`POST ${tables}`, { name: slug, slug, columns });
  const { body } = await owner(`POST ${tables}/${slug}/records`, { title: "One" });
  const recordId = body.data.id as string;
  const options = { table: slug, onDelete: "set_null" };
  const about = [{ name: "about", type: "reference", options }];
  const other = `${slug}_notes`;
  await owner(`POST ${tables}`, { name: other, slug: other, columns: about });
  await owner(`POST ${tables}/${other}/records`, { about: recordId });
  return { slug, recordId };
}

export const samples: readonly Sample[] = [
  {
    operation: "records.create",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, body: { title: "Two", amount: 2 } };
    },
  },
  {
    operation: "records.update",
    arrange: async (owner) => ({ params: await made(owner), body: { amount: 3 } }),
  },
  { operation: "records.delete", arrange: async (owner) => ({ params: await made(owner) }) },
  {
    operation: "records.bulk_create",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, body: { records: [{ title: "Two" }, { amount: 3 }] } };
    },
  },
  {
    operation: "records.bulk_update",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, body: { filter: { title: "One" }, set: { amount: 1 } } };
    },
  },
  {
    operation: "records.upsert",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      const records = [{ title: "One", amount: 1 }, { title: "Two" }];
      return { params: { slug }, body: { key: "title", records } };
    },
  },
  {
    operation: "records.edit",
    arrange: async (owner) => {
      const { slug, recordId } = await made(owner);
      const edits = [{ id: recordId, revision: 1, set: { amount: 4 } }];
      return { params: { slug }, body: { edits } };
    },
  },
  {
    operation: "records.apply",
    arrange: async (owner) => {
      const { slug, recordId } = await made(owner);
      const { body } = await owner(`POST /api/v1/tables/${slug}/records`, { title: "Two" });
      const edit = [{ id: recordId, revision: 1, set: { amount: 4 } }];
      const changes = { edit, create: [{ title: "Three" }], delete: [body.data.id] };
      return { params: { slug }, body: changes };
    },
  },
  {
    operation: "records.bulk_delete",
    arrange: async (owner) => {
      const { slug } = await made(owner);
      return { params: { slug }, query: { filter: '{"title":"One"}' } };
    },
  },
  { operation: "records.history", arrange: async (owner) => ({ params: await made(owner) }) },
];
