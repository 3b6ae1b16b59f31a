/**
 * Files from anonymous clients: a form with files, or one file as the body. They are streamed to the store, and become
 * files of the run that they start.
 */
import type { Upload } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { assertStorable } from "#kernel/http/request-body.ts";
import {
  Failure,
  invalidField,
  MalformedRequest,
  WrongMediaType,
} from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { formBoundary, type FormPart, readFormParts } from "#kernel/http/multipart.ts";
import { discard, type StoredContent, storeFile, tooLarge } from "../store-file.ts";
import { type FileHandle, findFileIds, toHandle } from "./file-handle.ts";

/** A content that will become a file with this id. */
export interface ReceivedFile {
  readonly id: string;
  readonly stored: StoredContent;
}

export interface ReceivedFiles {
  /** The fields of a form with files as handles, or the handle of a single file body. */
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
}

/** The options of a receiver. */
interface ReceiveOptions {
  /** The fields that accept files. Files in other fields and other bodies are rejected. */
  readonly fields?: ReadonlySet<string>;
  /** The maximum number and total size of files. Default: 50, and the file size limit. */
  readonly filesMax?: number;
  readonly bytesMax?: number;
}

const FILES_MAX = 50;
const FIELDS_CHARACTERS_MAX = 1_000_000;

/** Receives files outside a transaction; `insertFile` follows in one. Interrupted uploads leave no data. */
export async function receiveFiles(
  platform: Platform,
  partition: Partition,
  upload: Upload,
  { fields, filesMax = FILES_MAX, bytesMax = Infinity }: ReceiveOptions = {},
): Promise<ReceivedFiles> {
  const { fileBytesMax } = platform.settings;
  let bytes = 0;
  async function* count(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
    }
  }
  const boundary = formBoundary(upload.contentType);
  const files: ReceivedFile[] = [];
  const keep = async (content: AsyncIterable<Uint8Array>, name: string): Promise<FileHandle> => {
    if (files.length >= filesMax)
      throw new Failure(MalformedRequest, {
        detail: `The form contains more than ${filesMax} files.`,
      });
    const stored = await storeFile(platform, partition, count(content), { name });
    const id = newId("file", platform.clock.nowMs());
    files.push({ id, stored });
    return toHandle({ ...stored, id });
  };
  if (fields && boundary === undefined) throw new Failure(WrongMediaType);
  const keepPart = async (part: FormPart, name: string): Promise<FileHandle> => {
    if (fields?.has(part.field) === false)
      throw new Failure(MalformedRequest, {
        detail: "A form field that is not a file field contains a file.",
      });
    return keep(part.content, name);
  };
  try {
    if (boundary !== undefined)
      return { body: await readFields(upload, boundary, keepPart), files };
    if ((upload.length ?? 0) > fileBytesMax) throw tooLarge(fileBytesMax);
    return { body: await keep(upload.content, bodyName(upload.contentType)), files };
  } catch (error) {
    await discardFiles(platform, partition, files);
    throw error;
  }
}

/** Deletes contents of a request that starts no run, so that anonymous clients cannot fill the store. */
export async function discardFiles(
  platform: Platform,
  partition: Partition,
  files: readonly ReceivedFile[],
): Promise<void> {
  await Promise.allSettled(files.map(({ stored }) => discard(platform, partition, stored.blobId)));
}

/** Releases contents in a committing transaction. The collector deletes them in its next turn. */
export async function releaseReceived(
  { send }: Pick<WriteContext, "send">,
  files: readonly ReceivedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const ids = files.map(({ stored }) => stored.blobId);
  await send("update blobs set state = 'deleted' where id = any ($1) and state = 'pending'", [ids]);
}

/**
 * Throws if the sent data names a file that was not sent with it: steps read files with the deployer's permissions,
 * which the sender does not have.
 */
export function assertOwnFiles(sent: unknown, files: readonly ReceivedFile[] = []): void {
  const own = new Set(files.map(({ id }) => id));
  const isForeign = findFileIds(sent).some((id) => !own.has(id));
  if (isForeign) throw invalidField("", "must be the file itself");
}

async function readFields(
  { content }: Upload,
  boundary: string,
  keep: (part: FormPart, name: string) => Promise<FileHandle>,
): Promise<unknown> {
  const fields = new Map<string, unknown>();
  let characters = 0;
  for await (const part of readFormParts(content, boundary)) {
    const { field, fileName } = part;
    // No file was selected.
    if (fileName === "") continue;
    const value =
      fileName === undefined ? await readField(part.content) : await keep(part, fileName);
    characters += field.length + (typeof value === "string" ? value.length : 0);
    if (characters > FIELDS_CHARACTERS_MAX)
      throw new Failure(MalformedRequest, { detail: "The form fields are too long." });
    const former = fields.get(field);
    if (former === undefined) fields.set(field, value);
    else if (Array.isArray(former)) former.push(value);
    else fields.set(field, [former, value]);
  }
  const body = Object.fromEntries(fields);
  assertStorable(body, "");
  return body;
}

async function readField(content: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString();
}

/** A body has no file name. */
function bodyName(contentType: string): string {
  const [, subtype = ""] = /^[\w.+-]+\/([\w]{1,10})\s*(?:;|$)/.exec(contentType) ?? [];
  return /^(png|jpeg|gif|webp|pdf|zip|gzip|mpeg|mp4|ogg|wav)$/.test(subtype)
    ? `upload.${subtype}`
    : "upload";
}
