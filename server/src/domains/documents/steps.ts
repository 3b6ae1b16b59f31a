/** The steps that convert files to data, and data to files. */
import { executor, StepFailure, type StepTools } from "#domains/runs/index.ts";
import type { OpenedFile } from "#domains/files/index.ts";
import { fileRead, fileWrite } from "./node-types.ts";
import { DocumentsBusy, documentPool } from "./work/document-pool.ts";
import { DocumentError, type ReadFormat, type WriteFormat } from "./work/task.ts";
import { type ZipEntry, writeZip } from "./writers/zip.ts";

export const readStep = executor({
  type: fileRead,
  async run({ file: handle, as, ...options }, { files, run, signal }) {
    const opened = await files.open(handle, "/file");
    const format = as ?? formatOf(opened);
    const reading = documentPool.work({
      key: run.workspace,
      task: { kind: "read", format, size: opened.file.size, options },
      read: async (span) => Buffer.concat(await Array.fromAsync(opened.read(span))),
      signal,
    });
    try {
      for (;;) {
        const { value, done } = await reading.next();
        if (done === true) return { output: value };
      }
    } catch (error) {
      throw toStepFailure(error, { code: "file_unreadable", field: "/file", format });
    }
  },
});

export const writeStep = executor({
  type: fileWrite,
  async run({ as, name, data, files: handles, ...options }, tools) {
    const { files, run, signal } = tools;
    const fileName = withEnding(name ?? "file", as);
    if (as === "zip") return { output: await writeArchive(tools, fileName, handles ?? []) };
    if (data === undefined) {
      throw new StepFailure("invalid_config", "/data is required.", {
        retryable: false,
        field: "/data",
      });
    }
    const task = { kind: "write" as const, format: as, data, options };
    try {
      const content = documentPool.work({ key: run.workspace, task, signal });
      return { output: await files.keep(content, { name: fileName }) };
    } catch (error) {
      throw toStepFailure(error, { code: "file_unwritable", field: "/data", format: as });
    }
  },
});

/** Bytes are streamed. The library compresses in its threads. */
async function writeArchive(
  { files }: StepTools,
  name: string,
  handles: readonly unknown[],
): Promise<unknown> {
  const entries: ZipEntry[] = [];
  const names = new Map<string, number>();
  for (const [index, handle] of handles.entries()) {
    const { file, read } = await files.open(handle, `/files/${index}`);
    const count = (names.get(file.name) ?? 0) + 1;
    names.set(file.name, count);
    const unique = count === 1 ? file.name : file.name.replace(/(\.\w{1,10})?$/, ` (${count})$1`);
    entries.push({
      name: unique,
      content: { [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator]() },
    });
  }
  return files.keep(writeZip(entries), { name });
}

const ENDINGS: Readonly<Record<WriteFormat | "zip", string>> = {
  csv: "csv",
  xlsx: "xlsx",
  json: "json",
  html: "html",
  text: "txt",
  base64: "",
  zip: "zip",
};

function withEnding(name: string, format: WriteFormat | "zip"): string {
  const ending = ENDINGS[format];
  return ending === "" || /\.\w{1,10}$/.test(name) ? name : `${name}.${ending}`;
}

const FORMATS: ReadonlyMap<string, ReadFormat> = new Map([
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["application/json", "json"],
  ["text/html", "html"],
  ["application/xml", "xml"],
  ["text/xml", "xml"],
  ["image/svg+xml", "xml"],
  ["application/pdf", "pdf"],
  ["text/plain", "text"],
  ["text/markdown", "text"],
]);

function formatOf({ file: { name, mediaType } }: OpenedFile): ReadFormat {
  const ending = /\.(csv|tsv|xlsx|json|xml|html?|pdf)$/i.exec(name)?.[1]?.toLowerCase();
  const known = FORMATS.get(mediaType);
  if (known !== undefined && known !== "text") return known;
  if (ending !== undefined && (known === "text" || mediaType === "application/zip")) {
    return ending === "tsv" ? "csv" : ending === "htm" ? "html" : (ending as ReadFormat);
  }
  if (known !== undefined) return known;
  const message = `/file is ${mediaType}, which can't be read. Set the format with \`as\`.`;
  throw new StepFailure("file_unreadable", message, { retryable: false, field: "/file" });
}

function toStepFailure(
  error: unknown,
  {
    code,
    field,
    format,
  }: { readonly code: string; readonly field: string; readonly format: string },
): unknown {
  if (error instanceof DocumentsBusy) return new StepFailure("busy", error.message);
  if (!(error instanceof DocumentError)) return error;
  const line = error.line === undefined ? "" : ` (line ${error.line})`;
  const message = `${field}, as ${format}: ${error.message}${line}`;
  return new StepFailure(code, message, { retryable: false, field });
}
