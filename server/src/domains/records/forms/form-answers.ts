/** The answers to a form: reads the request of a browser, including files, and builds the input of a record. */
import {
  discardFiles,
  isFileReference,
  PICTURES,
  type ReceivedFile,
  receiveFiles,
} from "#domains/files/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { PostedForm } from "#kernel/html/form/form-field.ts";
import { parseForm } from "#kernel/html/form/form-values.ts";
import { namesOf } from "#kernel/html/form/form-view.ts";
import { toPostedForm } from "#kernel/html/form/posted-form.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, type FieldError, Invalid, WrongMediaType } from "#kernel/operation/failure.ts";
import type { RecordInput } from "../record.ts";
import { FILES_BYTES_MAX, FILES_MAX, isFileField, takesType } from "./form-content.ts";
import { type AskedField, toPageField } from "./form-page.ts";

const BODY_TYPES = new Set(["application/x-www-form-urlencoded", "application/json"]);

export interface SentAnswers {
  readonly posted: PostedForm;
  readonly files: readonly ReceivedFile[];
}

/** Reads a submitted form. Its files are stored, and have no owner until the record is created. */
export async function readAnswers(
  platform: Platform,
  partition: Partition,
  { request, upload }: Pick<Caller, "request" | "upload">,
  { fields, bytesMax }: { readonly fields: readonly AskedField[]; readonly bytesMax: number },
): Promise<SentAnswers> {
  if (!upload) {
    const { bytes = Buffer.alloc(0), mediaType = "" } = request ?? {};
    if (bytes.length > 0 && !BODY_TYPES.has(mediaType)) throw new Failure(WrongMediaType);
    return { posted: toPostedForm(parseAnyBody(bytes, mediaType)), files: [] };
  }
  const { body, files } = await receiveFiles(platform, partition, upload, {
    fields: new Set(
      fields.filter(({ column }) => isFileField(column)).map(({ column }) => column.name),
    ),
    filesMax: FILES_MAX,
    bytesMax: Math.min(bytesMax, FILES_BYTES_MAX),
  });
  return discardOnFailure(platform, partition, files, async () => ({
    posted: toPostedForm(body),
    files,
  }));
}

/** Runs work on a submitted form; deletes the uploaded files if it fails. */
export async function discardOnFailure<T>(
  platform: Platform,
  partition: Partition,
  files: readonly ReceivedFile[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await discardFiles(platform, partition, files);
    throw error;
  }
}

/** Builds the record from the answers. Throws if a value is invalid, missing or not part of the form. */
export function toInput(
  fields: readonly AskedField[],
  { posted, files }: SentAnswers,
): RecordInput {
  const asked = fields.map(toPageField);
  const received = new Set(files.map(({ id }) => id));
  // The id of an existing file is rejected too: an anonymous visitor may only use files of this request.
  const isFile = (sent: string | object): boolean =>
    isFileReference(sent) && received.has(sent.$file);
  const parsed = parseForm(asked, posted, { isFile });
  const errors = [...parsed.errors].map(([name, message]) => ({ path: `/${name}`, message }));
  const names = namesOf(asked);
  if ([...posted].some(([name, sent]) => !names.has(name) && sent.some((one) => one !== ""))) {
    errors.push({
      path: "",
      message: "The form received a value for a field that it does not contain.",
    });
  }
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  const filled = Object.entries(parsed.values).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(filled.map(([name, value]) => [name, toRecordValue(value)]));
}

/** The value of a column: files become their ids. */
function toRecordValue(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) => (isFileReference(one) ? one.$file : one));
}

/** Checks the content types of uploaded files. */
export function checkTypes(
  fields: readonly AskedField[],
  { posted, files }: SentAnswers,
): readonly FieldError[] {
  const typeOf = new Map(files.map(({ id, stored }) => [id, stored.mediaType]));
  return fields.flatMap(({ field, column }) => {
    const isTaken = (mediaType: string): boolean =>
      takesType(field, mediaType) && (column.type !== "image" || PICTURES.has(mediaType));
    const sent = (posted.get(column.name) ?? []).filter((one) => isFileReference(one));
    const isWrong = sent.some(({ $file }) => !isTaken(typeOf.get($file) ?? ""));
    const message = "Choose a file of another type. This field does not accept this type.";
    return isWrong ? [{ path: `/${column.name}`, message }] : [];
  });
}
