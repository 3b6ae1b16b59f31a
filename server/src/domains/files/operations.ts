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
  summary: "Get a file: its name, type and size",
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
  summary: "List one's own uploads, or what is attached to something",
  description:
    "With `attachedTo`, those attached to it that the caller may read; else the newest of one's own.",
  permission: FilesRead,
  query: object({
    ...pageQuery,
    attachedTo: Type.Optional(line(100, "The id of a ticket, an article or another thing")),
    unattached: Type.Optional(
      Type.Boolean({ description: "Only those that are attached to nothing" }),
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
  summary: "Read a file's content",
  description:
    "All of it, or a part (`Range: bytes=0-1023`). Pictures and plain texts may be shown by a browser, everything " +
    "else is a download; neither may run anything.",
  permission: FilesRead,
  params,
  query: object({
    download: Type.Optional(Type.Boolean({ description: "True for a download in any case" })),
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
  summary: "Delete an upload of one's own",
  description: "One that is attached to nothing. What is attached is removed where it is attached.",
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
    contents: Type.Integer({ description: "Each counts once, however many files have it" }),
    bytes: Type.Integer(),
    quotaBytes: nullable(Type.Integer({ description: "Null when there is no quota" })),
    fileBytesMax: Type.Integer({ description: "Of one file" }),
  },
  { title: "FileUsage" },
);

const getUsage = query({
  id: "files.usage",
  route: "GET /api/v1/files/usage",
  summary: "Get the space that the files of the workspace take",
  description: "In all its environments together.",
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
