import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import { newId } from "#kernel/schema/id.ts";
import type { World } from "#kernel/testing/world.ts";
import { operator } from "#domains/installation/testing/operator.ts";

/** A completed archive of the home workspace. */
async function madeExport(world: World): Promise<Arranged> {
  const id = newId("wex");
  const { blobStores } = world.kernel;
  async function* content() {
    yield Buffer.from("made");
  }
  await blobStores.at(blobStores.place).put(`archives/${id}`, content());
  await world.sql(
    `insert into workspace_exports (id, workspace_id, status, with_secrets, bytes, place, requested_by,
                                    created_at, finished_at)
     values ($1, $2, 'made', false, 4, $3, 'system', now(), now())`,
    [id, world.home, blobStores.place],
  );
  return { params: { id }, environmentScoped: false };
}

/** An operator's call on an archive in a given state. */
function onImport(operation: string, state: string, more: object = {}): Sample {
  return {
    operation,
    async arrange(_owner, world) {
      const id = newId("arc");
      await world.sql(
        `insert into archive_imports (id, state, file_name, bytes, requested_by, created_at, updated_at)
         values ($1, $2, 'a.millrace', 100, 'system', now(), now())`,
        [id, state],
      );
      const by = await operator(world);
      return { params: { id }, by, environmentScoped: false, ...more };
    },
  };
}

export const samples: readonly Sample[] = [
  {
    operation: "workspace_exports.start",
    async arrange(_owner, world) {
      await world.sql("delete from workspace_exports");
      return { body: {}, environmentScoped: false };
    },
  },
  { operation: "workspace_exports.list", arrange: async () => ({ environmentScoped: false }) },
  { operation: "workspace_exports.get", arrange: async (_owner, world) => madeExport(world) },
  { operation: "workspace_exports.download", arrange: async (_owner, world) => madeExport(world) },
  { operation: "workspace_exports.delete", arrange: async (_owner, world) => madeExport(world) },
  {
    operation: "archive_imports.start",
    async arrange(_owner, world) {
      const body = { fileName: "a.millrace", bytes: 100 };
      return { body, by: await operator(world), environmentScoped: false };
    },
  },
  onImport("archive_imports.list", "received", { params: {} }),
  onImport("archive_imports.get", "received"),
  onImport("archive_imports.upload", "receiving", { query: { at: "0" }, body: { part: true } }),
  onImport("archive_imports.check", "received", { body: {} }),
  onImport("archive_imports.load", "checked", { body: {} }),
  onImport("archive_imports.activate", "loaded"),
  onImport("archive_imports.discard", "received"),
];
