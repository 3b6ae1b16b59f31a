/**
 * The program that reads and writes documents in a separate process: files are untrusted, and parsers can use any
 * amount of time and memory. It has no permissions and receives the file in parts.
 */
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import { type RandomAccess, SourceError } from "#domains/imports/source/index.ts";
import { readDocument } from "../readers/read-document.ts";
import { writeDocument } from "../writers/write-document.ts";
import {
  DocumentError,
  type DocumentTask,
  type FromDocumentProcess,
  type ReadTask,
  type ToDocumentProcess,
  VALUE_CHARACTERS_MAX,
} from "./task.ts";

const SPAN_BYTES = 1024 * 1024;
const PART_BYTES = 256 * 1024;
let answer: ((message: ToDocumentProcess) => void) | undefined;

function ask(message: FromDocumentProcess): Promise<ToDocumentProcess> {
  const { promise, resolve } = Promise.withResolvers<ToDocumentProcess>();
  answer = resolve;
  process.send?.(message);
  return promise;
}

/** The file, whose parts the server reads on demand. */
function fileOf({ size }: ReadTask): RandomAccess {
  return {
    size,
    async *read({ from, to } = { from: 0, to: size }) {
      for (let at = from; at < to; at += SPAN_BYTES) {
        const reply = await ask({ kind: "span", from: at, to: Math.min(to, at + SPAN_BYTES) });
        if (reply.kind === "bytes") yield reply.bytes;
      }
    },
  };
}

async function work(task: DocumentTask): Promise<FromDocumentProcess> {
  try {
    if (task.kind === "write") {
      for await (const bytes of joinParts(writeDocument(task))) await ask({ kind: "part", bytes });
      return { kind: "done", value: "null" };
    }
    const value = JSON.stringify(await readDocument(fileOf(task), task));
    if (value.length > VALUE_CHARACTERS_MAX) {
      throw new DocumentError(
        "The content of the file is larger than the limit of 1 MiB for a step.",
      );
    }
    return { kind: "done", value };
  } catch (error) {
    const { message, line } = describe(error);
    return { kind: "failed", message, ...(line !== undefined && { line }) };
  }
}

/** Library errors quote the document and are omitted. */
function describe(error: unknown): {
  readonly message: string;
  readonly line?: number | undefined;
} {
  if (error instanceof DocumentError) return { message: error.message, line: error.line };
  if (error instanceof SourceError) return { message: error.message };
  return { message: "The file is damaged, or it has another format." };
}

/** Combines small parts into larger ones. */
async function* joinParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [held, bytes]: [Uint8Array[], number] = [[], 0];
  for await (const part of parts) {
    held.push(part);
    bytes += part.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(held);
}

process.on("message", (message: ToDocumentProcess) => {
  if (message.kind === "task") void work(message.task).then((end) => process.send?.(end));
  else answer?.(message);
});
// The server has ended.
process.on("disconnect", () => process.exit());
process.send?.(READY_MESSAGE);
