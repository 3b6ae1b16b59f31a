import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

async function upload(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/files?name=orders.json", { number: "A-1", total: 5 });
  return body.data.id as string;
}

/** An import of a new table in a given state. */
function inState(state: string) {
  return async (owner: Ask, world: World): Promise<{ params: { id: string } }> => {
    count += 1;
    const slug = `sample_import_${count}`;
    await owner("POST /api/v1/tables", {
      name: slug,
      slug,
      columns: [{ name: "number", type: "text" }],
    });
    const { body } = await owner("POST /api/v1/imports", {
      fileId: await upload(owner),
      table: slug,
    });
    const id = body.data.id as string;
    const column = {
      header: "number",
      field: "number",
      type: "text",
      options: {},
      dateOrder: null,
      decimalMark: null,
      isAmbiguous: false,
      filled: 1,
      empty: 0,
      invalid: 0,
      unique: false,
      examples: [],
      invalidExamples: [],
    };
    await world.sql(
      "update imports set state = $2, columns = $3, mapping = $4, lines = 1 where id = $1",
      [id, state, JSON.stringify([column]), JSON.stringify([{ column: 0, field: "number" }])],
    );
    await world.sql(
      `insert into import_lines (workspace_id, environment, import_id, line, cells, errors)
       select workspace_id, environment, id, 1, '["A-1"]', '[{"path":"/number","message":"is wrong"}]' from imports where id = $1`,
      [id],
    );
    return { params: { id } };
  };
}

const ready = inState("ready");

export const samples: readonly Sample[] = [
  {
    operation: "imports.create",
    arrange: async (owner) => ({ body: { fileId: await upload(owner) } }),
  },
  { operation: "imports.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "imports.get", arrange: ready },
  {
    operation: "imports.update",
    arrange: async (owner, world) => ({
      ...(await ready(owner, world)),
      body: { mapping: [{ column: 0, field: "number" }] },
    }),
  },
  { operation: "imports.check", arrange: ready },
  { operation: "imports.start", arrange: ready },
  {
    operation: "imports.start",
    name: "into a new table",
    async arrange(owner, world) {
      const { params } = await ready(owner, world);
      count += 1;
      const slug = `sample_import_${count}`;
      const made = {
        newTable: { slug, name: slug },
        mapping: [{ column: 0, field: "number", type: "text" }],
      };
      await owner(`PATCH /api/v1/imports/${params.id}`, made);
      return { params };
    },
  },
  { operation: "imports.list_lines", arrange: ready },
  {
    operation: "imports.correct_lines",
    arrange: async (owner, world) => ({
      ...(await ready(owner, world)),
      body: { lines: [{ line: 1, cells: ["A-2"] }] },
    }),
  },
  { operation: "imports.cancel", arrange: inState("running") },
  { operation: "imports.take_back", arrange: inState("completed") },
  { operation: "imports.delete", arrange: ready },
];
