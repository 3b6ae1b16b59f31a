/** The start of a document as text and cells: a preview without running or rendering anything. */
import Type, { type Static } from "typebox";
import { FileId, FilesRead, type OpenedFile, openFile } from "#domains/files/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure, failure, NotFound, Unavailable } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { DocumentsBusy, documentPool } from "./work/document-pool.ts";
import { DocumentError, PREVIEW } from "./work/task.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const NoPreview = failure("no_preview", 404, "This file has no preview.");
const Unreadable = failure("file_unreadable", 422, "The file can't be parsed.");

const Preview = Type.Object(
  {
    pages: nullable(Type.Array(Type.String(), { description: "Text of each page of a PDF" })),
    rows: nullable(
      Type.Array(Type.Array(Type.String()), {
        description: "Cells of the first sheet of a workbook",
      }),
    ),
    more: Type.Boolean({ description: "True if the preview is incomplete" }),
  },
  { title: "DocumentPreview" },
);
type Preview = Static<typeof Preview>;

export const previewDocument = query({
  id: "files.preview",
  route: "GET /api/v1/files/{id}/preview",
  summary: "Get a text preview of a document",
  description: `Returns the text of the first ${PREVIEW.pages} pages of a PDF, or the first ${PREVIEW.rows} rows of a workbook (XLSX). Documents are parsed in a separate process with limits; scripts and formulas are not run. For text files, use \`files.download\` with a \`Range\`.`,
  permission: FilesRead,
  params: object({ id: FileId }),
  longRunning: true,
  response: item(Preview),
  fails: [NotFound, NoPreview, Unreadable, Unavailable],
  example: { params: { id: "file_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  async prepare(platform, { params: { id } }, caller) {
    const opened = await openFile(platform, caller, id);
    return readPreview(opened, partitionOfCaller(caller).workspace, caller.disconnected);
  },
  run: async (_, __, preview) => preview,
});

async function readPreview(
  { file, read }: OpenedFile,
  key: string,
  signal = new AbortController().signal,
): Promise<Preview> {
  const format = formatOf(file);
  if (format === undefined) throw new Failure(NoPreview);
  const reading = documentPool.work({
    key,
    task: { kind: "read", format, size: file.size, options: { isPreview: true } },
    read: async (span) => Buffer.concat(await Array.fromAsync(read(span))),
    signal,
  });
  try {
    for (;;) {
      const { value, done } = await reading.next();
      // The reader returns no other values.
      if (done === true) return { pages: null, rows: null, ...(value as Pick<Preview, "more">) };
    }
  } catch (error) {
    if (error instanceof DocumentsBusy) {
      throw new Failure(Unavailable, { headers: { "retry-after": "2" } });
    }
    if (error instanceof DocumentError) throw new Failure(Unreadable, { detail: error.message });
    throw error;
  }
}

function formatOf({ mediaType, name }: OpenedFile["file"]): "pdf" | "xlsx" | undefined {
  if (mediaType === "application/pdf") return "pdf";
  // A workbook packed in an unusual order looks like any archive.
  const isBook = mediaType === XLSX || (mediaType === "application/zip" && /\.xlsx$/i.test(name));
  return isBook ? "xlsx" : undefined;
}
