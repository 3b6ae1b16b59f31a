import { decodeText, detectEncoding, type RandomAccess } from "#domains/imports/source/index.ts";
import {
  DocumentError,
  type ReadTask,
  VALUE_CHARACTERS_MAX,
  WHOLE_BYTES_MAX,
} from "../work/task.ts";
import { readHtml } from "./html.ts";
import { readPdf } from "./pdf.ts";
import { readTable } from "./table.ts";
import { parseXml } from "./xml.ts";

/** Reads a document as data. */
export async function readDocument(file: RandomAccess, task: ReadTask): Promise<unknown> {
  switch (task.format) {
    case "csv":
    case "xlsx":
      return readTable(file, task);
    case "json":
      return { data: parseJson(await readText(file, task)) };
    case "xml":
      return { data: parseXml(await readText(file, task)) };
    case "html":
      return readHtml(await readText(file, task));
    case "pdf":
      return readPdf(await readWhole(file), task.options);
    case "text": {
      assertSize(file, 4 * VALUE_CHARACTERS_MAX);
      return { text: storable(await readText(file, task)) };
    }
    case "base64":
      assertSize(file, VALUE_CHARACTERS_MAX * 0.7);
      return { base64: (await readWhole(file)).toString("base64") };
  }
}

function assertSize({ size }: RandomAccess, bytesMax: number): void {
  if (size <= bytesMax) return;
  throw new DocumentError(
    "The file is larger than the limit of 1 MiB for a step. Use a script to read it in parts.",
  );
}

async function readWhole(file: RandomAccess): Promise<Buffer> {
  if (file.size > WHOLE_BYTES_MAX) {
    throw new DocumentError(
      `Files of this format can have at most ${WHOLE_BYTES_MAX / 2 ** 20} MiB.`,
    );
  }
  return Buffer.concat(await Array.fromAsync(file.read()));
}

async function readText(file: RandomAccess, { options }: ReadTask): Promise<string> {
  if (file.size > WHOLE_BYTES_MAX) {
    throw new DocumentError(
      `Files of this format can have at most ${WHOLE_BYTES_MAX / 2 ** 20} MiB.`,
    );
  }
  const encoding = options.encoding ?? (await detectEncoding(file.read()));
  const parts = await Array.fromAsync(decodeText(file.read(), encoding));
  return parts.join("");
}

/** A text that a database can store. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD").toWellFormed();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const at = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length);
    const line = text.slice(0, at).split("\n").length;
    throw new DocumentError("The file is not valid JSON.", line);
  }
}
