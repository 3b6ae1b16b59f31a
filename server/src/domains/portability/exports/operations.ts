import Type from "typebox";
import { WorkspacesWrite } from "#domains/workspaces/index.ts";
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { parseByteRange, rangeHeaders, RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import {
  accepted,
  type Download,
  item,
  noContent,
  resumableDownload,
} from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { Passphrase, sealPassphrase } from "../passphrase.ts";
import { ExportDeleted, ExportRequested } from "./events.ts";
import { exportJob } from "./jobs.ts";
import {
  ExportId,
  exportObject,
  ExportRunning,
  ExportUnfinished,
  getExport,
  listExports,
  WorkspaceExport,
} from "./workspace-export.ts";

/** Only an owner with a session can export all data of a workspace. */
const ownerAccess = { permission: WorkspacesWrite, ownersInPerson: true } as const;
const params = object({ id: ExportId });
const example = { params: { id: "wex_01jd0000000000000000000000" } };
const MEDIA_TYPE = "application/octet-stream";

const startExport = command({
  id: "workspace_exports.start",
  route: "POST /api/v1/workspace-exports",
  summary: "Create an export of the workspace",
  description:
    "Exports definitions, records, tickets, files and the log of all environments at one point in time, in a separate process while the workspace is in use. Secrets are only included with a `passphrase` that encrypts them. All other data is readable: store the file securely. Only one export can run at a time. Requires an owner in a user session.",
  ...ownerAccess,
  body: object({ passphrase: Type.Optional(Passphrase) }),
  response: accepted(WorkspaceExport),
  emits: [ExportRequested],
  fails: [ExportRunning],
  example: { body: {} },
  async run(ctx, { body: { passphrase } }) {
    // A second concurrent request waits here and then finds the first.
    await ctx.send("select from workspaces where key = $1 for update", [ctx.workspace.key]);
    const others = await listExports(ctx.tx);
    if (others.some(({ status }) => status === "running")) throw new Failure(ExportRunning);
    const exportId = newId("wex", ctx.now.getTime());
    const withSecrets = passphrase !== undefined;
    await ctx.send(
      `insert into workspace_exports (id, status, with_secrets, requested_by, created_at)
       values ($1, 'running', $2, $3, $4)`,
      [exportId, withSecrets, authorOf(ctx.caller), ctx.now],
    );
    ctx.emit(ExportRequested, { id: exportId }, { withSecrets });
    const sealed = sealPassphrase(ctx.services, passphrase, exportId);
    ctx.enqueue(exportJob, { id: exportId, sealed }, { key: exportId });
    return {
      id: exportId,
      status: "running" as const,
      withSecrets,
      rows: 0,
      files: 0,
      bytes: 0,
      error: null,
      requestedBy: authorOf(ctx.caller),
      createdAt: ctx.now.toISOString(),
      finishedAt: null,
      expiresAt: null,
    };
  },
});

const readExports = query({
  id: "workspace_exports.list",
  route: "GET /api/v1/workspace-exports",
  summary: "List exports of the workspace, newest first",
  description: "At most 50, including the progress of active exports.",
  ...ownerAccess,
  response: item(Type.Object({ exports: Type.Array(WorkspaceExport) })),
  run: async ({ tx }) => ({ exports: [...(await listExports(tx))] }),
});

const readExport = query({
  id: "workspace_exports.get",
  route: "GET /api/v1/workspace-exports/{id}",
  summary: "Get an export and its progress",
  ...ownerAccess,
  params,
  response: item(WorkspaceExport),
  example,
  run: ({ tx }, { params: { id } }) => getExport(tx, id),
});

const downloadExport = query({
  id: "workspace_exports.download",
  route: "GET /api/v1/workspace-exports/{id}/content",
  summary: "Download an export",
  description:
    "Continue an interrupted download with `Range: bytes=<from>-`; the file never changes. Browsers that can't send headers set the `workspace` in the query.",
  ...ownerAccess,
  infersWorkspace: true,
  params,
  query: object({ workspace: Type.Optional(line(100, "Replaces the header X-Workspace")) }),
  readsRange: true,
  response: resumableDownload(MEDIA_TYPE),
  fails: [ExportUnfinished, RangeNotSatisfiable],
  example,
  async prepare(platform, { params: { id } }, caller): Promise<Download> {
    const partition = partitionOfCaller(caller);
    const { status, bytes, place } = await platform.db.read(partition, (tx) => getExport(tx, id));
    if (status !== "made" || place === null) throw new Failure(ExportUnfinished);
    const etag = `"${id}"`;
    const range = parseByteRange(caller.conditions ?? {}, { bytes, etag });
    return {
      mediaType: MEDIA_TYPE,
      fileName: `${slugOf(caller)}.millrace`,
      chunks: platform.blobStores.at(place).read(exportObject(id), range ?? { from: 0, to: bytes }),
      partial: range !== undefined,
      headers: {
        ...rangeHeaders(range, { bytes, etag }),
        "cache-control": "private, no-store",
      },
    };
  },
  run: async (_ctx, _input, file) => file,
});

function slugOf({ credential, workspace }: Caller): string {
  const memberships = [...(credential?.memberships ?? [])];
  const [slug = "workspace"] =
    memberships.find(([, membership]) => membership.workspace.key === workspace?.key) ?? [];
  return slug;
}

const deleteExport = command({
  id: "workspace_exports.delete",
  route: "DELETE /api/v1/workspace-exports/{id}",
  summary: "Delete an export",
  ...ownerAccess,
  params,
  response: noContent(),
  emits: [ExportDeleted],
  fails: [ExportRunning],
  example,
  async run(ctx, { params: { id } }) {
    ctx.expectRevision(1);
    await ctx.send("select from workspace_exports where id = $1 for update", [id]);
    const { status, bytes } = await getExport(ctx.tx, id);
    if (status === "running") throw new Failure(ExportRunning);
    await ctx.send("update workspace_exports set status = 'deleted' where id = $1", [id]);
    ctx.emit(ExportDeleted, { id }, { bytes });
  },
});

export const exportOperations = [
  startExport,
  readExports,
  readExport,
  downloadExport,
  deleteExport,
];
