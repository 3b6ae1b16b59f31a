/** `context.files`: the files of a run, transferred in parts. */
import { isFileReference, type KeepContent, type OpenReference } from "#domains/files/index.ts";
import { StepFailure } from "#domains/runs/index.ts";
import { Failure, failure, invalidField } from "#kernel/operation/failure.ts";
import { SCRIPT_LIMITS } from "#kernel/sandbox/limits.ts";

/** The files that a script can use: those of its step. */
export interface FileAccess {
  readonly open: OpenReference;
  readonly keep: KeepContent;
}

export const FileFailed = failure("file_failed", 422, "The file can't be used.");
export const NoFilesHere = failure(
  "no_files_here",
  422,
  "Only scripts in workflow steps can use files.",
);

const READ_BYTES_MAX = 2 * 1024 * 1024;
const WRITERS_MAX = 16;

interface Part {
  readonly bytes: Uint8Array;
  readonly taken: () => void;
}

/** A file that a script writes in parts. The store accepts each before the next one. */
class FileWriter {
  readonly #parts: Part[] = [];
  #wake: (() => void) | undefined;
  #end: "open" | "closed" | "broken" = "open";
  readonly stored: Promise<unknown>;

  constructor(keep: KeepContent, name: string) {
    this.stored = keep(this.#read(), { name });
    // The closing call reports the error. After the script's end it is ignored.
    this.stored.catch(() => undefined);
  }

  async append(bytes: Uint8Array): Promise<void> {
    const taken = new Promise<void>((resolve) => this.#parts.push({ bytes, taken: resolve }));
    this.#wake?.();
    // After a failure, the store accepts no further parts.
    await Promise.race([taken, this.stored]);
  }

  end(how: "closed" | "broken"): void {
    this.#end = how;
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const part = this.#parts.shift();
      if (part) {
        yield part.bytes;
        part.taken();
      } else if (this.#end === "broken") throw new Failure(FileFailed);
      else if (this.#end === "closed") return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

export class ScriptFiles {
  readonly #access: FileAccess | undefined;
  readonly #writers = new Map<number, FileWriter>();
  #count = 0;

  constructor(access: FileAccess | undefined) {
    this.#access = access;
  }

  get access(): FileAccess | undefined {
    return this.#access;
  }

  async read(handle: unknown, options: unknown): Promise<unknown> {
    const { from = 0, to, as } = Object(options) as { from?: unknown; to?: unknown; as?: unknown };
    if (!isFileReference(handle)) throw invalidField("/0", "must be a file");
    const { file, read } = await this.#use(({ open }) => open(handle, "/0"));
    const start = Math.min(toOffset(from, "/1/from"), file.size);
    const end = Math.max(
      start,
      Math.min(to === undefined ? file.size : toOffset(to, "/1/to"), file.size),
    );
    if (end - start > READ_BYTES_MAX) {
      const detail = `At most ${READ_BYTES_MAX} bytes can be read at once. Use from and to, or files.chunks.`;
      throw new Failure(FileFailed, { detail });
    }
    const bytes = Buffer.concat(await Array.fromAsync(read({ from: start, to: end })));
    if (as !== "text") return { base64: bytes.toString("base64"), size: file.size };
    return { text: bytes.toString(), size: file.size };
  }

  async create(name: unknown): Promise<number> {
    if (typeof name !== "string" || name === "") throw invalidField("/0", "must be a name");
    if (this.#writers.size >= WRITERS_MAX) {
      throw new Failure(FileFailed, {
        detail: `At most ${WRITERS_MAX} files can be written at the same time.`,
      });
    }
    this.#count += 1;
    const writer = await this.#use(async ({ keep }) => new FileWriter(keep, name));
    this.#writers.set(this.#count, writer);
    return this.#count;
  }

  async append(id: unknown, content: unknown): Promise<null> {
    const { text, base64 } = Object(content) as { text?: unknown; base64?: unknown };
    const bytes =
      typeof text === "string" ? Buffer.from(text) : Buffer.from(String(base64), "base64");
    if (bytes.length > 2 * SCRIPT_LIMITS.filePartBytes) throw invalidField("/1", "is too large");
    await this.#use(() => this.#writer(id).append(bytes));
    return null;
  }

  async close(id: unknown): Promise<unknown> {
    const writer = this.#writer(id);
    this.#writers.delete(id as number);
    writer.end("closed");
    return this.#use(() => writer.stored);
  }

  /** Drops files that the script did not close. */
  end(): void {
    for (const writer of this.#writers.values()) writer.end("broken");
    this.#writers.clear();
  }

  #writer(id: unknown): FileWriter {
    const writer = this.#writers.get(id as number);
    if (!writer) throw new Failure(FileFailed, { detail: "The file is already closed." });
    return writer;
  }

  async #use<T>(work: (access: FileAccess) => Promise<T>): Promise<T> {
    if (!this.#access) throw new Failure(NoFilesHere);
    try {
      return await work(this.#access);
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      throw new Failure(FileFailed, { detail: error.message });
    }
  }
}

function toOffset(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidField(path, "must be a number of bytes");
}
