import Type from "typebox";
import { operatorAccess, recordAtHome } from "#domains/installation/index.ts";
import { Slug } from "#domains/workspaces/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation, Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { accepted, created, item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { Passphrase, sealPassphrase } from "../passphrase.ts";
import {
  ARCHIVE_BYTES_MAX,
  ArchiveImport,
  getImport,
  ImportBusy,
  ImportConflict,
  ImportId,
  ImportWrongState,
  listImports,
  RECEIVING_MAX,
  TooManyUploads,
} from "./archive-import.ts";
import { ImportStarted, ImportTaskRequested, type Task } from "./events.ts";
import { importTaskJob } from "./jobs.ts";
import { uploadPart } from "./upload.ts";

const params = object({ id: ImportId });
const ID = "arc_01jd0000000000000000000000";

const startImport = command({
  id: "archive_imports.start",
  route: "POST /api/v1/installation/imports",
  summary: "Create an import of a workspace archive",
  description:
    "Upload the archive in parts (`archive_imports.upload`). Then check, load and activate it with separate requests. Both installations must run the same release.",
  ...operatorAccess,
  body: object({
    fileName: line(200),
    bytes: Type.Integer({
      minimum: 1,
      maximum: ARCHIVE_BYTES_MAX,
      description: "Name of the archive",
    }),
  }),
  response: created(ArchiveImport, { location: ({ id }) => `/api/v1/installation/imports/${id}` }),
  emits: [ImportStarted],
  fails: [TooManyUploads],
  example: { body: { fileName: "default.millrace", bytes: 1_048_576 } },
  async run(ctx, { body: { fileName, bytes } }) {
    const receiving = await ctx.send(
      "select from archive_imports where state = 'receiving' limit $1",
      [RECEIVING_MAX],
    );
    if (receiving.length === RECEIVING_MAX) throw new Failure(TooManyUploads);
    const importId = newId("arc", ctx.now.getTime());
    await ctx.send(
      `insert into archive_imports (id, state, file_name, bytes, requested_by, created_at, updated_at)
       values ($1, 'receiving', $2, $3, $4, $5, $5)`,
      [importId, fileName, bytes, authorOf(ctx.caller), ctx.now],
    );
    recordAtHome(ctx, () =>
      ctx.emit(ImportStarted, { id: importId, displayName: fileName }, { fileName, bytes }),
    );
    const at = ctx.now.toISOString();
    return {
      id: importId,
      state: "receiving" as const,
      task: null,
      error: null,
      fileName,
      slug: null,
      bytes,
      receivedBytes: 0,
      readBytes: 0,
      summary: null,
      createdAt: at,
      updatedAt: at,
    };
  },
});

const readImports = query({
  id: "archive_imports.list",
  route: "GET /api/v1/installation/imports",
  summary: "List imported archives, newest first",
  ...operatorAccess,
  response: item(Type.Object({ imports: Type.Array(ArchiveImport) })),
  prepare: ({ db }) => listImports(db),
  run: async (_ctx, _input, imports) => ({ imports }),
});

const readImport = query({
  id: "archive_imports.get",
  route: "GET /api/v1/installation/imports/{id}",
  summary: "Get an archive import and its progress",
  ...operatorAccess,
  params,
  response: item(ArchiveImport),
  example: { params: { id: ID } },
  prepare: ({ db }, { params: { id } }) => getImport(db, id),
  run: async (_ctx, _input, found) => found,
});

/** The states in which each task can start. */
const FROM: Readonly<Record<Task, readonly ArchiveImport["state"][]>> = {
  check: ["received", "checked"],
  load: ["checked"],
  activate: ["loaded"],
  discard: ["receiving", "received", "checked", "loaded", "activated"],
};

const shared = {
  ...operatorAccess,
  params,
  response: accepted(ArchiveImport),
  emits: [ImportTaskRequested],
  prepare: ({ db }: Platform, { params: { id } }: { params: { id: string } }) => getImport(db, id),
} as const;
const Secrets = { passphrase: Type.Optional(Passphrase) };
const ChosenSlug = { slug: Type.Optional(Slug) };

const checkImport = command({
  id: "archive_imports.check",
  route: "POST /api/v1/installation/imports/{id}/check",
  summary: "Check an archive",
  description:
    "Writes nothing. Checks all bytes against their hashes, the release, whether the slug is available, and the `passphrase` if the archive contains secrets. Then `summary` contains the contents.",
  ...shared,
  body: object({ ...Secrets, ...ChosenSlug }),
  fails: [ImportBusy, ImportWrongState],
  example: { params: { id: ID }, body: {} },
  run: (ctx, { params: { id }, body }, found) =>
    request(ctx, found, { id, task: "check", ...body }),
});

const loadImport = command({
  id: "archive_imports.load",
  route: "POST /api/v1/installation/imports/{id}/load",
  summary: "Load a checked archive",
  description:
    "Continues after interruptions. The workspace becomes visible when all data is loaded and verified. It is paused: you can read it.",
  ...shared,
  body: object({ ...Secrets, ...ChosenSlug }),
  fails: [ImportBusy, ImportWrongState, ImportConflict],
  example: { params: { id: ID }, body: {} },
  run: (ctx, { params: { id }, body }, found) => request(ctx, found, { id, task: "load", ...body }),
});

const activateImport = command({
  id: "archive_imports.activate",
  route: "POST /api/v1/installation/imports/{id}/activate",
  summary: "Activate an imported workspace",
  description:
    "Starts the workflows, SLA clocks and deliveries of the workspace. Stop them in the source installation first.",
  ...shared,
  fails: [ImportBusy, ImportWrongState],
  example: { params: { id: ID } },
  run: (ctx, { params: { id } }, found) => request(ctx, found, { id, task: "activate" }),
});

const discardImport = command({
  id: "archive_imports.discard",
  route: "DELETE /api/v1/installation/imports/{id}",
  summary: "Discard an archive import",
  description:
    "Deletes the archive and all loaded data. For an activated workspace, only the archive is deleted.",
  ...shared,
  fails: [ImportBusy, ImportWrongState],
  example: { params: { id: ID } },
  async run(ctx, { params: { id } }, found) {
    ctx.expectRevision(1);
    return request(ctx, found, { id, task: "discard" });
  },
});

interface TaskRequest {
  readonly id: string;
  readonly task: Task;
  readonly slug?: string;
  readonly passphrase?: string;
}

async function request(
  ctx: WriteContext<typeof ImportTaskRequested>,
  found: ArchiveImport,
  { id, task, slug, passphrase }: TaskRequest,
): Promise<ArchiveImport> {
  const [row] = await ctx.send<
    Pick<ArchiveImport, "state" | "task" | "updatedAt"> & { readonly key: string }
  >(
    `select state, task, updated_at as "updatedAt", workspace_key as key
       from archive_imports where id = $1 for update`,
    [id],
  );
  if (!row) throw new Failure(NotFound);
  // A task whose job failed is reported as idle and can be restarted. The check ensures that only one concurrent
  // request restarts it.
  const isSame = row.updatedAt === found.updatedAt;
  if (row.task !== null && (found.task !== null || !isSame)) throw new Failure(ImportBusy);
  if (!FROM[task].includes(row.state))
    throw new Failure(ImportWrongState, { detail: `The state of the import is ${row.state}.` });
  if (task === "load") await assertAlone(ctx, id, row.key);
  await ctx.send(
    `update archive_imports set task = $2, error = null, read_bytes = 0, updated_at = $3,
            slug = coalesce($4, slug), begun = begun or $2 = 'load' where id = $1`,
    [id, task, ctx.now, slug ?? null],
  );
  const sealed = sealPassphrase(ctx.services, passphrase, id);
  recordAtHome(ctx, () =>
    ctx.emit(
      ImportTaskRequested,
      { id, displayName: found.fileName },
      { task, slug: slug ?? null },
    ),
  );
  ctx.enqueue(importTaskJob, { id, task, sealed }, { key: id });
  return {
    ...found,
    state: row.state,
    task,
    error: null,
    readBytes: 0,
    slug: slug ?? found.slug,
    updatedAt: ctx.now.toISOString(),
  };
}

/** Rejects a second archive of the same workspace, because discarding one would delete data of the other. */
async function assertAlone(ctx: WriteContext<never>, id: string, key: string): Promise<void> {
  await ctx.send("select from installation for update", []);
  const others = await ctx.send(
    `select from archive_imports
      where workspace_key = $2 and id <> $1 and begun and state <> 'activated' limit 1`,
    [id, key],
  );
  if (others.length > 0) throw new Failure(ImportConflict);
}

export const importOperations: readonly Operation[] = [
  startImport,
  readImports,
  readImport,
  uploadPart,
  checkImport,
  loadImport,
  activateImport,
  discardImport,
];
