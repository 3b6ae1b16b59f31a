import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation, ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { fileContent, serveFile } from "./content/serve.ts";
import {
  EXAMPLE_ID,
  FILE_SELECT,
  FileAttached,
  FileDeleted,
  FileId,
  type FileRow,
  StoredFile,
  toFile,
} from "./file.ts";
import { deleteFile, findFileRow } from "./file-rows.ts";
import { createLink, openLink } from "./link.ts";
import { canReadFile, getReadableRow, openFile } from "./open-file.ts";
import { FilesManage, FilesRead, FilesWrite } from "./permissions.ts";
import { getThumbnail } from "./thumbnail.ts";
import { uploadFile } from "./upload.ts";

const params = object({ id: FileId });
const example = { params: { id: EXAMPLE_ID } };

const getFile = query({
  id: "files.get",
  route: "GET /api/v1/files/{id}",
  summary: "Get a file",
  permission: FilesRead,
  params,
  response: item(StoredFile),
  example,
  run: async (ctx, { params: { id } }) => toFile(await getReadableRow(ctx, id)),
});

const LISTED_MAX = 1_000;

const listFiles = query({
  id: "files.list",
  route: "GET /api/v1/files",
  summary: "List your uploads or attached files",
  description:
    "With `attachedTo`, returns attached files that you can read. Otherwise returns your uploads. Newest first.",
  permission: FilesRead,
  query: object({
    ...pageQuery,
    attachedTo: Type.Optional(line(100, "The id of a ticket, an article or another resource")),
    unattached: Type.Optional(
      Type.Boolean({ description: "Returns only files that are not attached" }),
    ),
  }),
  response: page(withRevision(StoredFile)),
  example: { query: { limit: 20, attachedTo: "inc_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  async run(ctx, { query: asked }) {
    const { attachedTo, unattached = false } = asked;
    const rows =
      attachedTo === undefined
        ? await findOwn(ctx, unattached)
        : await findAttached(ctx, attachedTo);
    const scope = `files ${attachedTo ?? ""} ${unattached}`;
    return pageOfItems(ctx.services, scope, asked, {
      items: rows.map((row) => toFile(row)),
      keyOf: (file) => file.id,
    });
  },
});

const FROM = `${FILE_SELECT} from files f join blobs b on b.id = f.blob_id`;

/** The newest files, up to a limit. */
async function findOwn(
  { tx, caller }: ReadContext,
  unattached: boolean,
): Promise<readonly FileRow[]> {
  const text = `${FROM} where f.created_by = $1 and (not $2::boolean or f.attached_id is null)
                order by f.id desc limit ${LISTED_MAX}`;
  return queryRows<FileRow>(tx, text, [authorOf(caller), unattached]);
}

async function findAttached(ctx: ReadContext, attachedTo: string): Promise<readonly FileRow[]> {
  const text = `${FROM} where f.attached_id = $1 order by f.id desc limit ${LISTED_MAX}`;
  const rows = await queryRows<FileRow>(ctx.tx, text, [attachedTo]);
  const readable: FileRow[] = [];
  for (const row of rows) if (await canReadFile(ctx, row)) readable.push(row);
  return readable;
}

const downloadFile = query({
  id: "files.download",
  route: "GET /api/v1/files/{id}/content",
  summary: "Download the content of a file",
  description:
    "Returns the whole file, or a part (`Range: bytes=0-1023`). Browsers can show images and plain text, and download other files. Scripts are never run.",
  permission: FilesRead,
  params,
  query: object({
    download: Type.Optional(Type.Boolean({ description: "Always downloads the file" })),
  }),
  readsRange: true,
  response: fileContent("application/octet-stream"),
  fails: [RangeNotSatisfiable],
  example,
  async prepare(platform, { params: { id }, query: { download = false } }, caller) {
    const opened = await openFile(platform, caller, id);
    return serveFile(opened, caller.conditions ?? {}, { asAttachment: download });
  },
  run: async (_, __, served) => served,
});

const removeFile = command({
  id: "files.delete",
  route: "DELETE /api/v1/files/{id}",
  summary: "Delete an uploaded file",
  description: "Only for files that are not attached. Remove an attached file from its resource.",
  permission: FilesWrite,
  params,
  response: noContent(),
  emits: [FileDeleted],
  fails: [FileAttached],
  example,
  async run(ctx, { params: { id } }) {
    void ctx.send("select from files where id = $1 for update", [id]);
    const row = await findFileRow(ctx, id);
    if (!row || !(await canReadFile(ctx, row))) throw new Failure(NotFound);
    if (row.attached_id !== null) throw new Failure(FileAttached);
    ctx.expectRevision(row.revision);
    const { revision: _, ...data } = await deleteFile(ctx, id);
    ctx.emit(FileDeleted, { id, displayName: data.name }, data);
  },
});

const Usage = Type.Object(
  {
    contents: Type.Integer({ description: "Each content is counted once" }),
    bytes: Type.Integer(),
    quotaBytes: nullable(Type.Integer({ description: "Null without a limit" })),
    fileBytesMax: Type.Integer({ description: "Maximum size of a file" }),
  },
  { title: "FileUsage" },
);

const getUsage = query({
  id: "files.usage",
  route: "GET /api/v1/files/usage",
  summary: "Get the storage usage of the workspace",
  description: "Includes all environments.",
  permission: FilesManage,
  environmentScoped: false,
  response: item(Usage),
  async run({ tx, services: { settings } }) {
    const [row] = await queryRows(tx, "select blobs, bytes::float8 as bytes from file_usage", []);
    const quota = settings.fileQuotaBytes;
    return {
      contents: Number(row?.["blobs"] ?? 0),
      bytes: Number(row?.["bytes"] ?? 0),
      quotaBytes: quota === 0 ? null : quota,
      fileBytesMax: settings.fileBytesMax,
    };
  },
});

export const fileOperations: readonly Operation[] = [
  uploadFile,
  listFiles,
  getUsage,
  getFile,
  downloadFile,
  getThumbnail,
  createLink,
  openLink,
  removeFile,
];
