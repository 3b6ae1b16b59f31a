/** `context.files`: reads and writes files of the run, whole or in parts; see `bootstrap.ts`. */
import { type Builtins, requestFromHost, type ScriptRuntime } from "./builtins.ts";
import { callHost } from "./host-call.ts";

interface FilePart {
  readonly base64?: string;
  readonly text?: string;
  readonly size: number;
}

/**
 * `read(file, { from, to, as })` returns bytes or a text; `chunks(file)` yields bytes in parts; `write(name, content)`
 * and `create(name)` (with `write` for parts and `close` at the end) return the handle of a new file.
 */
export function createFiles(runtime: ScriptRuntime): unknown {
  const { builtins } = runtime;
  const read = async (file: unknown, options: unknown = {}): Promise<unknown> => {
    const part = (await callHost(runtime, "files.read", [file, options])) as FilePart;
    return part.text === undefined ? toBytes(runtime, part.base64 ?? "") : part.text;
  };
  const create = async (name: unknown): Promise<unknown> => {
    const writer = await callHost(runtime, "files.create", [name]);
    const end = () => callHost(runtime, "files.close", [writer]);
    return builtins.freeze({
      write: (content: unknown) => append(runtime, writer, content),
      close: end,
    });
  };
  const write = async (name: unknown, content: unknown): Promise<unknown> => {
    const writer = await callHost(runtime, "files.create", [name]);
    await append(runtime, writer, content);
    return callHost(runtime, "files.close", [writer]);
  };
  const chunks = (file: unknown) => createChunks(runtime, file);
  return builtins.freeze({ read, chunks, create, write });
}

export function createChunks(runtime: ScriptRuntime, file: unknown): unknown {
  const { builtins, limits } = runtime;
  let [at, size] = [0, 1];
  const iterator: Record<string | symbol, unknown> = {
    next: async () => {
      if (at >= size) return { done: true, value: undefined };
      const span = { from: at, to: at + limits.filePartBytes };
      const part = (await callHost(runtime, "files.read", [file, span])) as FilePart;
      const bytes = toBytes(runtime, part.base64 ?? "");
      size = part.size;
      at += limits.filePartBytes;
      return bytes.length === 0 ? { done: true, value: undefined } : { done: false, value: bytes };
    },
  };
  iterator[builtins.asyncIterator] = () => iterator;
  return iterator;
}

/** Appends content to a file in parts that fit into a call. */
export async function append(
  runtime: ScriptRuntime,
  writer: unknown,
  content: unknown,
): Promise<void> {
  const { builtins, limits } = runtime;
  if (typeof content === "string") {
    const step = limits.filePartBytes / 2;
    for (let at = 0; at < content.length;) {
      let end = at + step;
      // A part must not end inside a surrogate pair.
      const last = builtins.apply(builtins.charCodeAt, content, [end - 1]);
      if (last >= 0xd800 && last <= 0xdbff) end -= 1;
      const text = builtins.apply(builtins.slice, content, [at, end]);
      await callHost(runtime, "files.append", [writer, { text }]);
      at = end;
    }
    return;
  }
  const bytes =
    content instanceof builtins.ArrayBuffer ? new builtins.Uint8Array(content) : content;
  if (!(bytes instanceof builtins.Uint8Array)) {
    throw new builtins.TypeError("A file is written from texts and bytes (Uint8Array).");
  }
  for (let at = 0; at < bytes.length; at += limits.filePartBytes) {
    const part = builtins.apply(builtins.subarray, bytes, [at, at + limits.filePartBytes]);
    await callHost(runtime, "files.append", [writer, { base64: toBase64(runtime, part) }]);
  }
}

export function toBytes(runtime: ScriptRuntime, base64: string): Uint8Array {
  const { builtins }: { readonly builtins: Builtins } = runtime;
  const text = requestFromHost(runtime, "atob", base64);
  const bytes = new builtins.Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    bytes[at] = builtins.apply(builtins.charCodeAt, text, [at]);
  }
  return bytes;
}

export function toBase64(runtime: ScriptRuntime, bytes: Uint8Array): string {
  const { builtins } = runtime;
  let text = "";
  for (let at = 0; at < bytes.length; at += 4_096) {
    const part = builtins.apply(builtins.subarray, bytes, [at, at + 4_096]);
    text += builtins.apply(builtins.fromCharCode, undefined, part as unknown as number[]);
  }
  return requestFromHost(runtime, "btoa", text);
}
