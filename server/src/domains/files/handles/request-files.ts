/**
 * Outbound requests with files: one as the body, or several in a form. Files are streamed and never completely in
 * memory.
 */
import { randomUUID } from "node:crypto";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { StreamedContent } from "#kernel/outbound/request-content.ts";
import type { OpenedFile } from "../open-file.ts";
import { isFileReference, type FileReference } from "./file-handle.ts";

/** Opens the file named by a value. `path` is the location of the value. */
export type OpenReference = (reference: FileReference, path: string) => Promise<OpenedFile>;

export interface EncodedFiles {
  readonly contentType: string;
  readonly content: StreamedContent;
}

/** The body as a stream if it is a file or a multipart form. Undefined for any other. */
export async function encodeFiles(
  body: unknown,
  { contentType = "", path }: { readonly contentType?: string | undefined; readonly path: string },
  open: OpenReference,
): Promise<EncodedFiles | undefined> {
  if (isFileReference(body)) {
    const { file, read } = await open(body, path);
    const content = { length: file.size, open: () => read() };
    return { contentType: contentType === "" ? file.mediaType : contentType, content };
  }
  if (!/^multipart\/form-data\b/i.test(contentType)) return undefined;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidField(path, "must be an object with the fields of the form");
  return encodeForm(body, path, open);
}

const PARTS_MAX = 500;

interface Part {
  readonly head: string;
  readonly length: number;
  readonly read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A multipart form (RFC 7578): one field per member, several of one name for a list. */
async function encodeForm(
  fields: object,
  path: string,
  open: OpenReference,
): Promise<EncodedFiles> {
  const parts: Part[] = [];
  for (const [name, values] of Object.entries(fields)) {
    for (const [index, value] of [values].flat().entries()) {
      if (value === undefined || value === null) continue;
      const at = Array.isArray(values) ? `${path}/${name}/${index}` : `${path}/${name}`;
      parts.push(
        isFileReference(value) ? toFilePart(name, await open(value, at)) : toField(name, value),
      );
      if (parts.length > PARTS_MAX) throw invalidField(path, `has more than ${PARTS_MAX} parts`);
    }
  }
  const boundary = `millrace-${randomUUID()}`;
  const heads = parts.map(({ head }) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part, index) => sum + (heads[index]?.length ?? 0) + part.length + CRLF.length,
    end.length,
  );
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (const [index, part] of parts.entries()) {
      yield heads[index] ?? CRLF;
      yield* part.read();
      yield CRLF;
    }
    yield end;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: { length, open: stream },
  };
}

const CRLF = Buffer.from("\r\n");

function toField(name: string, value: unknown): Part {
  const isPlain = typeof value !== "object";
  const bytes = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  const type = isPlain ? "" : "\r\nContent-Type: application/json";
  return {
    head: `Content-Disposition: form-data; name="${escapeName(name)}"${type}`,
    length: bytes.length,
    read: () => [bytes],
  };
}

function toFilePart(name: string, { file, read }: OpenedFile): Part {
  const names = `name="${escapeName(name)}"; filename="${escapeName(file.name)}"`;
  return {
    head: `Content-Disposition: form-data; ${names}\r\nContent-Type: ${file.mediaType}`,
    length: file.size,
    read: () => read(),
  };
}

/** Escapes names like browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** True for the error of a missing file. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Failure && error.type.status === 404;
}
