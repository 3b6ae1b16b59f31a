/** Files as values between steps: a handle names a file, and the bytes stay in the store. */
import Type, { type Static } from "typebox";
import { FileId, type StoredFile } from "../file.ts";

export const FileHandle = Type.Object(
  {
    $file: FileId,
    name: Type.String(),
    mediaType: Type.String(),
    size: Type.Integer({ description: "Size in bytes" }),
  },
  {
    title: "FileHandle",
    description: "A file of the run. Steps receive this handle instead of the bytes",
  },
);
export type FileHandle = Static<typeof FileHandle>;

/** A value that names a file. Its other fields are not trusted. */
export interface FileReference {
  readonly $file: string;
}

export function toHandle({
  id,
  name,
  mediaType,
  size,
}: Pick<StoredFile, "id" | "name" | "mediaType" | "size">): FileHandle {
  return { $file: id, name, mediaType, size };
}

export function isFileReference(value: unknown): value is FileReference {
  return (
    typeof value === "object" &&
    value !== null &&
    "$file" in value &&
    typeof value.$file === "string"
  );
}

/** The maximum number of files in one value. */
export const REFERENCES_MAX = 100;

/** The ids of files named anywhere in a value, up to one more than `REFERENCES_MAX`. */
export function findFileIds(value: unknown): readonly string[] {
  const found = new Set<string>();
  collect(value, found);
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null || found.size > REFERENCES_MAX) return;
  if (isFileReference(value)) found.add(value.$file);
  for (const part of Object.values(value)) collect(part, found);
}

/** Replaces the file references in a value. */
export async function replaceReferences(
  value: unknown,
  replace: (reference: FileReference) => Promise<unknown>,
): Promise<unknown> {
  if (typeof value !== "object" || value === null) return value;
  if (isFileReference(value)) return replace(value);
  if (Array.isArray(value)) {
    const members: unknown[] = [];
    for (const one of value) members.push(await replaceReferences(one, replace));
    return members;
  }
  const entries: [string, unknown][] = [];
  for (const [name, one] of Object.entries(value))
    entries.push([name, await replaceReferences(one, replace)]);
  return Object.fromEntries(entries);
}
