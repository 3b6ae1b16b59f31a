/** The answers to a form: read as a browser sends them, files among them, and made the input of a record. */
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
import { parseAnyBody } from "#kernel/http/request-body.ts";
import {
  Failure,
  type FieldError,
  Invalid,
  MalformedRequest,
  WrongMediaType,
} from "#kernel/operation/failure.ts";
import type { RecordInput } from "../record.ts";
import { FILES_BYTES_MAX, FILES_MAX, isFileField, takesType } from "./form-content.ts";
import { type AskedField, boxName, choicesOf, isRequired, TRAP } from "./form-page.ts";

const VALUE_CHARACTERS_MAX = 100_000;
const FIELDS_MAX = 1_000;
const BODY_TYPES = new Set(["application/x-www-form-urlencoded", "application/json"]);

/** Texts as somebody typed them; of a field for files the ids of those that came. */
export type SentValues = Readonly<Record<string, string | readonly string[]>>;

export interface SentAnswers {
  readonly values: SentValues;
  readonly files: readonly ReceivedFile[];
}

/** Reads what somebody sent. Files are in the store then, and are nobody's until the record is made. */
export async function readAnswers(
  platform: Platform,
  partition: Partition,
  { request, upload }: Pick<Caller, "request" | "upload">,
  { fields, bytesMax }: { readonly fields: readonly AskedField[]; readonly bytesMax: number },
): Promise<SentAnswers> {
  if (!upload) {
    const { bytes = Buffer.alloc(0), mediaType = "" } = request ?? {};
    if (bytes.length > 0 && !BODY_TYPES.has(mediaType)) throw new Failure(WrongMediaType);
    return { values: toValues(parseAnyBody(bytes, mediaType) ?? {}, []), files: [] };
  }
  const { body, files } = await receiveFiles(platform, partition, upload, {
    fields: new Set(
      fields.filter(({ column }) => isFileField(column)).map(({ column }) => column.name),
    ),
    filesMax: FILES_MAX,
    bytesMax: Math.min(bytesMax, FILES_BYTES_MAX),
  });
  return discardOnFailure(platform, partition, files, async () => ({
    values: toValues(body, files),
    files,
  }));
}

/** Does work on what was sent; where it fails, the files are gone again. */
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

function toValues(body: unknown, files: readonly ReceivedFile[]): SentValues {
  const received = new Set(files.map(({ id }) => id));
  const entries = typeof body === "object" && body !== null ? Object.entries(body) : undefined;
  if (!entries || entries.length > FIELDS_MAX) throw new Failure(MalformedRequest);
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => [name, toValue(value, received)]),
  );
}

/** A text, or the files of a field: only those that came with it, whatever else it names. */
function toValue(value: unknown, received: ReadonlySet<string>): string | readonly string[] {
  if (typeof value === "string" && value.length <= VALUE_CHARACTERS_MAX) return value;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids = list.map((each) => (isFileReference(each) ? each.$file : ""));
  if (ids.length > 0 && ids.every((id) => received.has(id))) return ids;
  throw new Failure(MalformedRequest, { detail: "An answer is neither a text nor a file." });
}

/** The faults of files, by what is in them. */
export function checkTypes(
  fields: readonly AskedField[],
  { values, files }: SentAnswers,
): readonly FieldError[] {
  const typeOf = new Map(files.map(({ id, stored }) => [id, stored.mediaType]));
  return fields.flatMap(({ field, column }) => {
    const value = values[column.name];
    const isTaken = (mediaType: string): boolean =>
      takesType(field, mediaType) && (column.type !== "image" || PICTURES.has(mediaType));
    const isWrong =
      Array.isArray(value) && value.some((id) => !isTaken(typeOf.get(String(id)) ?? ""));
    return isWrong
      ? [{ path: `/${column.name}`, message: "has a file of a kind that is not taken here" }]
      : [];
  });
}

/** The record that the answers make; throws where a field is not asked for, or an answer is missing. */
export function toInput(fields: readonly AskedField[], values: SentValues): RecordInput {
  const asked = new Map(fields.map((each) => [each.column.name, each]));
  const boxes = fields.flatMap(({ column }) =>
    column.type === "multi_enum"
      ? choicesOf(column).map((_, index) => boxName(column.name, index))
      : [],
  );
  const names = new Set([...asked.keys(), ...boxes, TRAP]);
  const errors: FieldError[] = Object.keys(values)
    .filter((name) => !names.has(name))
    .map(() => ({ path: "", message: "has an answer that was not asked for" }));
  const input: Record<string, unknown> = {};
  for (const [name, each] of asked) {
    const value = parseAnswer(each, values);
    // Also the id of one that is there: a stranger has none.
    const isText = typeof values[name] === "string" && values[name] !== "";
    if (isFileField(each.column) && isText)
      errors.push({ path: `/${name}`, message: "takes a file, and nothing else" });
    if (value !== undefined) input[name] = value;
    else if (isRequired(each)) errors.push({ path: `/${name}`, message: "is required" });
  }
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  return input;
}

function parseAnswer({ column }: AskedField, values: SentValues): unknown {
  const { name, type, columnType } = column;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (isFileField(column)) return Array.isArray(value) ? value : undefined;
  if (type === "boolean") return value !== undefined;
  if (type === "multi_enum") {
    const chosen = choicesOf(column).filter((_, index) =>
      Object.hasOwn(values, boxName(name, index)),
    );
    return chosen.length === 0 ? undefined : chosen;
  }
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (type === "text") return value;
  if (type !== "timestamp") return columnType.parseCell(value, column);
  // A browser sends a time without its offset, and mostly without its seconds.
  const whole = /T\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return /(Z|[+-]\d\d:\d\d)$/.test(whole) ? whole : `${whole}Z`;
}
