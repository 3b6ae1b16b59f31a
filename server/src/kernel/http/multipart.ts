/**
 * Streams the first file of a form (RFC 7578). Fields before it are skipped within limits, and everything after
 * it is ignored. Memory: one chunk and the boundary.
 */
import { Failure, invalidField, MalformedRequest } from "../operation/failure.ts";

export interface FormFile {
  readonly name: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

const HEADERS_BYTES_MAX = 16 * 1024;
const PARTS_MAX = 20;
const FIELD_BYTES_MAX = 64 * 1024;
const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/** The boundary of a multipart form. Undefined for other content. */
export function formBoundary(contentType: string): string | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain;
}

/** Reads up to the first file of a form. Fails if the form has no file. */
export async function readFormFile(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
): Promise<FormFile> {
  const reader = new PartReader(content, boundary);
  await reader.skipPreamble();
  for (let count = 0; count < PARTS_MAX; count += 1) {
    const headers = await reader.readHeaders();
    if (headers === undefined) break;
    const fileName = dispositionParameter(headers, "filename");
    if (fileName !== undefined) {
      const name = fileName === "" ? undefined : fileName;
      return { name, content: reader.readPart(Infinity) };
    }
    for await (const _ of reader.readPart(FIELD_BYTES_MAX));
  }
  throw invalidField("", "The form does not contain a file among its first parts.");
}

/** A part of a form: a field, or a file if it has a file name. */
export interface FormPart {
  readonly field: string;
  /** Empty if no file was selected. */
  readonly fileName: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

const FORM_PARTS_MAX = 500;

/** Reads the parts of a form in sequence. Read a part to its end before requesting the next. */
export async function* readFormParts(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const reader = new PartReader(content, boundary);
  await reader.skipPreamble();
  for (let count = 0; count < FORM_PARTS_MAX; count += 1) {
    const headers = await reader.readHeaders();
    if (headers === undefined) return;
    const fileName = dispositionParameter(headers, "filename");
    const part = reader.readPart(fileName === undefined ? FIELD_BYTES_MAX : Infinity);
    yield { field: dispositionParameter(headers, "name") ?? "", fileName, content: part };
    for await (const _ of part);
  }
  throw formFailure(`The form has more than ${FORM_PARTS_MAX} parts.`);
}

function dispositionParameter(headers: string, name: string): string | undefined {
  const line = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, "i").exec(line) ?? [];
  // Browsers encode quotes in names like this.
  return (quoted?.replaceAll(/\\(.)/g, "$1") ?? plain)?.replaceAll("%22", '"');
}

const CRLF = Buffer.from("\r\n");
const HEADERS_END = Buffer.from("\r\n\r\n");

class PartReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Includes the preceding line break. */
  readonly #delimiter: Buffer;
  #buffer: Buffer = CRLF;

  constructor(content: AsyncIterable<Uint8Array>, boundary: string) {
    this.#source = content[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  async skipPreamble(): Promise<void> {
    for await (const _ of this.readPart(FIELD_BYTES_MAX));
  }

  /** The headers of the next part. Undefined at the end of the form. */
  async readHeaders(): Promise<string | undefined> {
    while (this.#buffer.length < 2) await this.#pull();
    if (this.#buffer.subarray(0, 2).toString() === "--") return undefined;
    for (;;) {
      const end = this.#buffer.indexOf(HEADERS_END);
      if (end !== -1) {
        const headers = this.#buffer.subarray(0, end).toString();
        this.#buffer = this.#buffer.subarray(end + HEADERS_END.length);
        return headers;
      }
      if (this.#buffer.length > HEADERS_BYTES_MAX)
        throw formFailure("The headers of a form part are too long.");
      await this.#pull();
    }
  }

  /** The content of a part up to its boundary, which is skipped. */
  async *readPart(bytesMax: number): AsyncGenerator<Uint8Array> {
    let passed = 0;
    for (;;) {
      const at = this.#buffer.indexOf(this.#delimiter);
      // The end of the buffer can contain the start of a boundary and is kept.
      const safe = at === -1 ? this.#buffer.length - this.#delimiter.length + 1 : at;
      if (safe > 0) {
        passed += safe;
        if (passed > bytesMax) throw formFailure("A form field is too long.");
        yield this.#buffer.subarray(0, safe);
        this.#buffer = this.#buffer.subarray(safe);
      }
      if (at !== -1) {
        this.#buffer = this.#buffer.subarray(this.#delimiter.length);
        return;
      }
      await this.#pull();
    }
  }

  async #pull(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done) throw formFailure("The form is incomplete: its last boundary is missing.");
    this.#buffer =
      this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value]);
  }
}

function formFailure(detail: string): Failure {
  return new Failure(MalformedRequest, { detail });
}
