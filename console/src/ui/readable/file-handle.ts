/** Files among the values of a run, identified by handles. */

export interface FileHandle {
  readonly $file: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

const SHOWN_MAX = 20;

/** Returns the files in a value without duplicates, up to the limit. */
export function listHandles(value: unknown): readonly FileHandle[] {
  const found = new Map<string, FileHandle>();
  collect(value, found);
  return [...found.values()];
}

function collect(value: unknown, found: Map<string, FileHandle>): void {
  if (typeof value !== "object" || value === null || found.size >= SHOWN_MAX) return;
  if ("$file" in value && typeof value.$file === "string") {
    const { name = value.$file, mediaType = "", size = 0 } = value as Partial<FileHandle>;
    found.set(value.$file, { $file: value.$file, name, mediaType, size });
    return;
  }
  for (const part of Object.values(value)) collect(part, found);
}

/** A stored file, with the fields that handles need. */
type SentFile = Omit<FileHandle, "$file"> & { readonly id: string };

export function toHandle({ id, name, mediaType, size }: SentFile): FileHandle {
  return { $file: id, name, mediaType, size };
}

/** Adds a file to the input under `file` or the next free name. Text that is not a JSON object is not changed. */
export function addFile(text: string, handle: FileHandle): string {
  const value = readObject(text);
  if (!value) return text;
  let name = "file";
  for (let number = 2; Object.hasOwn(value, name); number += 1) name = `file_${number}`;
  return JSON.stringify({ ...value, [name]: handle }, null, 2);
}

function readObject(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
