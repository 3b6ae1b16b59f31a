/** Files that were dropped or chosen, those in folders too. */
export interface DroppedFile {
  /** With the folders that it is in. */
  readonly name: string;
  readonly text: string;
}

const FILES_MAX = 500;
const BYTES_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 8;

/** The definitions among what was dropped; what is too large or no JSON is left out. */
export async function readDropped(data: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  // Only files have entries; a text that was dropped has none.
  const found: { readonly name: string; readonly file: File }[] = [];
  for (const entry of entries) await collect(entry, found, 0);
  return readAll(found);
}

/** The definitions among files that were chosen. */
export function readChosen(files: FileList): Promise<DroppedFile[]> {
  return readAll([...files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}

async function readAll(
  files: readonly { readonly name: string; readonly file: File }[],
): Promise<DroppedFile[]> {
  const fitting = files
    .filter(({ name, file }) => isDefinition(name) && file.size <= BYTES_MAX)
    .slice(0, FILES_MAX);
  return Promise.all(fitting.map(async ({ name, file }) => ({ name, text: await file.text() })));
}

/** Names of hidden files are none. */
export function isDefinition(name: string): boolean {
  return /\.json$/i.test(name) && !/(?:^|\/)\./.test(name);
}

async function collect(
  entry: FileSystemEntry,
  found: { readonly name: string; readonly file: File }[],
  depth: number,
): Promise<void> {
  if (found.length >= FILES_MAX || depth > DEPTH_MAX) return;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    found.push({ name: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  if (!isFolder(entry)) return;
  const reader = entry.createReader();
  const next = (): Promise<FileSystemEntry[]> =>
    new Promise((resolve, reject) => reader.readEntries(resolve, reject));
  // A folder tells its entries in several parts, the last of which is empty.
  for (let part = await next(); part.length > 0 && found.length < FILES_MAX; part = await next()) {
    for (const one of part) await collect(one, found, depth + 1);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
