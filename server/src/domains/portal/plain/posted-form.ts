/** A form as a browser sends it without any script: fields, and files that are kept while they arrive. */
import type { Upload } from "#kernel/access/caller.ts";
import { Failure, MalformedRequest, TooLarge } from "#kernel/operation/failure.ts";
import { formBoundary, readFormParts } from "#domains/files/index.ts";

const FORM_BYTES_MAX = 1024 * 1024;
const FIELDS_MAX = 500;
const FILES_MAX = 10;
/** So much of a refused file is read to get to what follows it. */
const DRAINED_BYTES_MAX = 256 * 1024 * 1024;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\b/i;

type Keep = (name: string, content: AsyncIterable<Uint8Array>) => Promise<string>;

/** A file that could not be kept. */
export interface RefusedFile {
  readonly field: string;
  readonly name: string;
  readonly message: string;
}

export interface PostedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly refused: readonly RefusedFile[];
}

/**
 * Reads a form; a file becomes the id that `keep` gives it, or is refused with the rest of the form read all the same.
 */
export async function readPostedForm(
  { content, contentType }: Upload,
  keep: Keep,
): Promise<PostedForm> {
  const fields = new Map<string, string[]>();
  const refused: RefusedFile[] = [];
  const add = (name: string, text: string): void => {
    const texts = fields.get(name) ?? [];
    fields.set(name, [...texts, text]);
    if (fields.size > FIELDS_MAX || texts.length > FIELDS_MAX) throw tooLarge();
  };
  const boundary = formBoundary(contentType);
  if (boundary !== undefined) await readParts(content, boundary, { add, keep, refused });
  else if (FORM_MEDIA_TYPE.test(contentType)) {
    for (const [name, text] of new URLSearchParams(await readText(content))) {
      add(name, clean(text));
    }
  } else throw new Failure(MalformedRequest, { detail: "The body must be a form." });
  return { fields, refused };
}

interface Reading {
  readonly add: (name: string, text: string) => void;
  readonly keep: Keep;
  readonly refused: RefusedFile[];
}

async function readParts(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
  { add, keep, refused }: Reading,
): Promise<void> {
  let bytes = 0;
  let files = 0;
  for await (const part of readFormParts(content, boundary)) {
    if (part.fileName === undefined) {
      const text = await readText(part.content);
      bytes += text.length;
      if (bytes > FORM_BYTES_MAX) throw tooLarge();
      add(part.field, clean(text));
    } else if (part.fileName !== "") {
      files += 1;
      if (files > FILES_MAX) {
        throw new Failure(TooLarge, { detail: `At most ${FILES_MAX} files can be sent at once.` });
      }
      const name = clean(part.fileName);
      try {
        add(part.field, await keep(name, relay(part.content)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refused.push({ field: part.field, name, message: error.message });
        await drain(part.content);
      }
    }
  }
}

/** A content that stays open when whoever reads it gives up: the parts behind it are still to come. */
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
    // The reader uses its buffer again.
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString("utf8");
}

const tooLarge = (): Failure => new Failure(TooLarge, { detail: "The form is too large." });

/** No text of ours has a zero in it; browsers send line breaks as two characters. */
const clean = (text: string): string => text.replaceAll("\0", "").replaceAll("\r\n", "\n");
