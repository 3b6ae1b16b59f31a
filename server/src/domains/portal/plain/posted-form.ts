/** A form as a browser sends it without any script: fields, and files that are kept while they arrive. */
import type { Upload } from "#kernel/access/caller.ts";
import { Failure, MalformedRequest, TooLarge } from "#kernel/operation/failure.ts";
import { formBoundary, readFormParts } from "#domains/files/index.ts";

const FORM_BYTES_MAX = 1024 * 1024;
const FIELDS_MAX = 500;
const FILES_MAX = 10;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\b/i;

type Keep = (name: string, content: AsyncIterable<Uint8Array>) => Promise<string>;

/** Reads a form; a file becomes the id that `keep` gives it. */
export async function readPostedForm(
  { content, contentType }: Upload,
  keep: Keep,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  const add = (name: string, text: string): void => {
    const texts = fields.get(name) ?? [];
    fields.set(name, [...texts, text]);
    if (fields.size > FIELDS_MAX || texts.length > FIELDS_MAX) throw tooLarge();
  };
  const boundary = formBoundary(contentType);
  if (boundary !== undefined) await readParts(content, boundary, { add, keep });
  else if (FORM_MEDIA_TYPE.test(contentType)) {
    for (const [name, text] of new URLSearchParams(await readText(content))) {
      add(name, clean(text));
    }
  } else throw new Failure(MalformedRequest, { detail: "The body must be a form." });
  return fields;
}

interface Reading {
  readonly add: (name: string, text: string) => void;
  readonly keep: Keep;
}

async function readParts(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
  { add, keep }: Reading,
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
      add(part.field, await keep(clean(part.fileName), part.content));
    }
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
