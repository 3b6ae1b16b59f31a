import { notify } from "../../ui/toast.tsx";

/** Dropped or selected files, including files in folders. */
export interface DroppedFile {
  /** The path, including folders. */
  readonly name: string;
  readonly text: string;
  /** The reason why the file was not read. */
  readonly problem?: string;
}

const FILES_MAX = 500;
/** Limits all entries, because a dropped folder may be a whole disk. */
const ENTRIES_MAX = 20_000;
const BYTES_MAX = 4 * 1024 * 1024;
const TOO_LARGE = "The file is larger than 4 MiB.";
const TOO_MANY = `Only the first ${FILES_MAX} files are read.`;
export const NO_DEFINITION = "No JSON file found. Select at least one .json file.";
const DEPTH_MAX = 8;

/** Returns the definitions among dropped files; files that are not JSON are skipped. */
export async function readDropped(data: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  // Only files have entries; dropped text does not.
  const found: FoundFile[] = [];
  const visit = { left: ENTRIES_MAX };
  for (const entry of entries) await collect(entry, found, visit, 0);
  return readAll(found);
}

/** Reads the definitions among the selected files. */
export function readChosen(files: FileList): Promise<DroppedFile[]> {
  return readAll([...files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}

interface FoundFile {
  readonly name: string;
  readonly file: File;
}

async function readAll(files: readonly FoundFile[]): Promise<DroppedFile[]> {
  const definitions = files.filter(({ name }) => isDefinition(name));
  if (definitions.length > FILES_MAX) notify(TOO_MANY);
  return Promise.all(
    definitions
      .slice(0, FILES_MAX)
      .map(async ({ name, file }) =>
        file.size > BYTES_MAX
          ? { name, text: "", problem: TOO_LARGE }
          : { name, text: await file.text() },
      ),
  );
}

/** Hidden files are skipped. */
export function isDefinition(name: string): boolean {
  return /\.json$/i.test(name) && !/(?:^|\/)\./.test(name);
}

async function collect(
  entry: FileSystemEntry,
  found: FoundFile[],
  visit: { left: number },
  depth: number,
): Promise<void> {
  visit.left -= 1;
  // Reads one file more than the limit, so that the user can be warned.
  if (found.length > FILES_MAX || visit.left < 0 || depth > DEPTH_MAX) return;
  if (isFile(entry)) {
    if (!isDefinition(entry.fullPath)) return;
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    found.push({ name: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  if (!isFolder(entry) || entry.name.startsWith(".")) return;
  const reader = entry.createReader();
  const next = (): Promise<FileSystemEntry[]> =>
    new Promise((resolve, reject) => reader.readEntries(resolve, reject));
  // A directory returns its entries in batches; an empty batch is the end.
  for (let part = await next(); part.length > 0 && visit.left > 0; part = await next()) {
    for (const one of part) await collect(one, found, visit, depth + 1);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
