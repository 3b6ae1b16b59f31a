/** A submitted form, read from its bytes or from a parsed body. */
import type { Upload } from "../../access/caller.ts";
import { formBoundary, readFormParts } from "../../http/multipart.ts";
import { FORM_MEDIA_TYPE } from "../../http/request-body.ts";
import { Failure, MalformedRequest, TooLarge } from "../../operation/failure.ts";
import type { PostedForm } from "./form-field.ts";

const FORM_BYTES_MAX = 1024 * 1024;
const FIELDS_MAX = 1_000;
const FILES_MAX = 10;
/** The maximum number of bytes that are read from a rejected file to reach the next part. */
const DRAINED_BYTES_MAX = 256 * 1024 * 1024;

/** Stores a file and returns its representation in the form. */
type Keep = (name: string, content: AsyncIterable<Uint8Array>) => Promise<string | object>;

/** A file that could not be stored. */
export interface RefusedFile {
  readonly field: string;
  readonly name: string;
  readonly message: string;
}

export interface ReadForm {
  readonly posted: PostedForm;
  readonly refused: readonly RefusedFile[];
}

/** Creates a form from a parsed body. Objects in it represent files. */
export function toPostedForm(body: unknown): PostedForm {
  const isNamed = typeof body === "object" && body !== null && !Array.isArray(body);
  const posted = new FormCollector();
  for (const [name, value] of Object.entries(isNamed ? body : {})) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) posted.open(name);
    for (const one of values) {
      if (typeof one === "object" && one !== null) posted.add(name, one);
      else posted.add(name, one === null || one === undefined ? "" : String(one as string));
    }
  }
  return posted.values;
}

/** Reads a form. Each file is replaced by the result of `keep`, or rejected; the rest of the form is still read. */
export async function readForm({ content, contentType }: Upload, keep: Keep): Promise<ReadForm> {
  const posted = new FormCollector();
  const refused: RefusedFile[] = [];
  const boundary = formBoundary(contentType);
  const [mediaType = ""] = contentType.toLowerCase().split(";");
  if (boundary !== undefined) await readParts(content, boundary, { posted, keep, refused });
  else if (mediaType.trim() === FORM_MEDIA_TYPE) {
    for (const [name, text] of new URLSearchParams(await readText(content))) {
      posted.add(name, clean(text));
    }
  } else throw new Failure(MalformedRequest, { detail: "The body must be a form." });
  return { posted: posted.values, refused };
}

class FormCollector {
  readonly values = new Map<string, (string | object)[]>();
  #count = 0;

  open(name: string): (string | object)[] {
    const known = this.values.get(name) ?? [];
    this.values.set(name, known);
    return known;
  }

  add(name: string, value: string | object): void {
    this.#count += 1;
    if (this.#count > FIELDS_MAX) throw tooLarge();
    this.open(name).push(value);
  }
}

interface Reading {
  readonly posted: FormCollector;
  readonly keep: Keep;
  readonly refused: RefusedFile[];
}

async function readParts(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
  { posted, keep, refused }: Reading,
): Promise<void> {
  let bytes = 0;
  let files = 0;
  for await (const part of readFormParts(content, boundary)) {
    if (part.fileName === undefined) {
      const text = await readText(part.content);
      bytes += text.length;
      if (bytes > FORM_BYTES_MAX) throw tooLarge();
      posted.add(part.field, clean(text));
    } else if (part.fileName !== "") {
      files += 1;
      if (files > FILES_MAX) {
        throw new Failure(TooLarge, { detail: `You can send at most ${FILES_MAX} files at once.` });
      }
      const name = clean(part.fileName);
      try {
        posted.add(part.field, await keep(name, relay(part.content)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refused.push({ field: part.field, name, message: error.message });
        await drain(part.content);
      }
    }
  }
}

/** A content that stays open if its reader stops, because further parts follow. */
async function* relay(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = content[Symbol.asyncIterator]();
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES_MAX) throw tooLarge();
  }
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > FORM_BYTES_MAX) throw tooLarge();
    // The reader reuses its buffer.
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString("utf8");
}

const tooLarge = (): Failure => new Failure(TooLarge, { detail: "The form is too large." });

/** No expected text contains NUL. Browsers send line breaks as two characters. */
const clean = (text: string): string => text.replaceAll("\0", "").replaceAll("\r\n", "\n");
