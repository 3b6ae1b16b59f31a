import Type from "typebox";
import { type Caller, partitionOfCaller, type Upload } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { created } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { formBoundary, readFormFile } from "#kernel/http/multipart.ts";
import { FileTooLarge, FileUploaded, QuotaExceeded, ShareExceeded, StoredFile } from "./file.ts";
import { insertFile } from "./file-rows.ts";
import { FilesWrite } from "./permissions.ts";
import { type StoredContent, storeFile, tooLarge } from "./store-file.ts";

export const uploadFile = command({
  id: "files.upload",
  effect: "ordinary",
  route: "POST /api/v1/files",
  summary: "Upload a file",
  description:
    "The body is the file, with its `name` in the query, or a form (`multipart/form-data`) with one file. The type is detected from the content. Only you can read the file until it is attached. Files that are not attached are deleted after one day.",
  permission: FilesWrite,
  query: object({
    name: Type.Optional(line(500, "File name. For a form, the name of the form part")),
  }),
  streamsBody: true,
  response: created(StoredFile, { location: ({ id }) => `/api/v1/files/${id}` }),
  emits: [FileUploaded],
  fails: [FileTooLarge, QuotaExceeded, ShareExceeded],
  example: { query: { name: "router.log" } },
  prepare: (platform, { query: { name } }, caller) => receiveUpload(platform, caller, name),
  async run(ctx, _input, stored) {
    const file = await insertFile(ctx, stored);
    const { revision: _, ...data } = file;
    ctx.emit(FileUploaded, { id: file.id, displayName: file.name }, data);
    return file;
  },
});

async function receiveUpload(
  platform: Platform,
  caller: Caller,
  name: string | undefined,
): Promise<StoredContent> {
  const { upload } = caller;
  if (!upload) throw new Failure(Invalid, { detail: "The body must be a file." });
  const bytesMax = platform.settings.fileBytesMax;
  const boundary = formBoundary(upload.contentType);
  // A form is slightly longer than its file.
  if (boundary === undefined && (upload.length ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const found =
    boundary === undefined ? rawFile(upload, name) : await readFormFile(upload.content, boundary);
  const partition = partitionOfCaller(caller);
  return storeFile(platform, partition, found.content, { name: name ?? found.name ?? "file" });
}

function rawFile({ content }: Upload, name: string | undefined) {
  if (name === undefined) throw invalidField("?name", "is required without a form");
  return { name, content };
}
