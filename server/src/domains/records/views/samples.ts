import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { tableViews } from "./view.ts";

let count = 0;

async function viewInput(owner: Ask) {
  count += 1;
  const slug = `sample_view_${count}`;
  const columns = [{ name: "title", type: "text" }];
  await owner("POST /api/v1/tables", { name: slug, slug, columns });
  return { name: `View ${count}`, table: slug, filter: { title: "One" }, sort: "-title" };
}

async function view(owner: Ask) {
  const { body } = await owner("POST /api/v1/table-views", await viewInput(owner));
  return { params: { id: body.data.id as string } };
}

/** A form that has an address. */
async function publicForm(owner: Ask) {
  const input = await viewInput(owner);
  const form = { fields: [{ name: "title" }] };
  const { body } = await owner("POST /api/v1/table-views", { ...input, kind: "form", form });
  const id = body.data.id as string;
  const { body: published } = await owner(`POST /api/v1/table-views/${id}/publish`);
  return { id, key: published.data.publicKey as string };
}

export const samples: readonly Sample[] = [
  { operation: "table_views.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "table_views.publish",
    arrange: async (owner) => ({ params: { id: (await publicForm(owner)).id } }),
  },
  {
    operation: "table_views.unpublish",
    arrange: async (owner) => ({ params: { id: (await publicForm(owner)).id } }),
  },
  {
    operation: "forms.show",
    arrange: async (owner) => ({ params: { key: (await publicForm(owner)).key } }),
  },
  {
    operation: "forms.send",
    arrange: async (owner) => ({
      params: { key: (await publicForm(owner)).key },
      body: { title: "One" },
    }),
  },
  ...resourceSamples(tableViews, viewInput),
  { operation: "table_views.get", arrange: view },
  {
    operation: "table_views.update",
    arrange: async (owner) => ({ ...(await view(owner)), body: { name: "Another one" } }),
  },
  { operation: "table_views.delete", arrange: view },
];
