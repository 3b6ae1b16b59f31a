/** File fields of a form: fields with `x-file`, whose values are upload ids. */
import { authorOf, type Caller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { findFileRow } from "#domains/files/index.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import type { FormValues } from "./check-values.ts";
import type { Form } from "./form.ts";

/** A file in the values of a form. */
export interface FileValue {
  /** A JSON pointer into the values. */
  readonly path: string;
  readonly fileId: string;
  /** Allowed media types such as `image/*`; all by default. */
  readonly accept?: readonly string[];
  readonly bytesMax?: number;
}

const FILE_ID = /^file_[0-9a-hjkmnp-tv-z]{26}$/;
const DEPTH_MAX = 16;

/** Collects the files of valid values. Alternatives within a form are not searched. */
export function collectFileValues(form: Form, values: FormValues): readonly FileValue[] {
  const found: FileValue[] = [];
  const visit = (part: unknown, value: unknown, at: { path: string; depth: number }): void => {
    const schema = resolve(form, part);
    if (!schema || at.depth > DEPTH_MAX || value === null || typeof value === "undefined") return;
    const next = (below: unknown, one: unknown, name: string): void =>
      visit(below, one, { path: jsonPointer(at.path, name), depth: at.depth + 1 });
    if (Array.isArray(value)) {
      const marks = schema["x-file"] === true ? pickMarks(schema) : {};
      const items = { ...(isMap(schema["items"]) ? resolve(form, schema["items"]) : {}), ...marks };
      value.forEach((one, index) => next(items, one, String(index)));
    } else if (typeof value === "object") {
      const { properties } = schema;
      for (const [name, one] of Object.entries(value)) {
        if (isMap(properties) && Object.hasOwn(properties, name)) next(properties[name], one, name);
      }
    } else if (schema["x-file"] === true) {
      const fileId = typeof value === "string" ? value : "";
      found.push({ path: at.path, fileId, ...limitsOf(schema) });
    }
  };
  visit(form, values, { path: "", depth: 0 });
  return found;
}

/** Throws 422 unless each file is an upload of the caller that the field accepts. */
export async function assertFileValues(
  tx: Tx,
  caller: Caller,
  files: readonly FileValue[],
): Promise<void> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const file of files) {
    const message = seen.has(file.fileId)
      ? "contains the same file twice"
      : await findFileError(tx, caller, file);
    seen.add(file.fileId);
    if (message !== undefined) errors.push({ path: `/values${file.path}`, message });
  }
  assertNoErrors(errors);
}

async function findFileError(
  tx: Tx,
  caller: Caller,
  { fileId, accept, bytesMax }: FileValue,
): Promise<string | undefined> {
  const row = FILE_ID.test(fileId) ? await findFileRow({ tx }, fileId) : undefined;
  const isOwn = row?.created_by === authorOf(caller) && row.attached_id === null;
  if (!row || !isOwn)
    return "must be the id of a file that you uploaded and that is not attached yet";
  if (bytesMax !== undefined && row.size > bytesMax) return `must have at most ${bytesMax} bytes`;
  const isAccepted = !accept || accept.some((pattern) => matchesType(pattern, row.media_type));
  return isAccepted ? undefined : `must be ${accept.join(" or ")}, and is ${row.media_type}`;
}

function matchesType(pattern: string, mediaType: string): boolean {
  return pattern.endsWith("/*")
    ? mediaType.startsWith(pattern.slice(0, -1))
    : mediaType === pattern;
}

const MARKS = ["x-file", "x-accept", "x-max-bytes"];

function pickMarks(schema: Form): Form {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => MARKS.includes(name)));
}

function limitsOf(schema: Form): Pick<FileValue, "accept" | "bytesMax"> {
  const { "x-accept": accept, "x-max-bytes": bytesMax } = schema;
  return {
    ...(Array.isArray(accept) && { accept: accept.map(String) }),
    ...(typeof bytesMax === "number" && { bytesMax }),
  };
}

/** Resolves a schema reference. Keywords next to the reference apply too. */
function resolve(form: Form, part: unknown): Form | undefined {
  if (!isMap(part)) return undefined;
  const { $ref: ref } = part;
  if (typeof ref !== "string") return part;
  const [, keyword = "", name = ""] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(ref) ?? [];
  const definitions = form[keyword];
  const found = isMap(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : {};
  return isMap(found) ? { ...found, ...pickMarks(part) } : undefined;
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
