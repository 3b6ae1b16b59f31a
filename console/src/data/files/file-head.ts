/** Reads only the beginning of a file, so the preview of a large file is fast. */
import { ApiError } from "@millrace/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { BASE_PATH, place } from "../place.ts";

export const HEAD_BYTES = 64 * 1_024;

export interface FileHead {
  /** Undefined for binary files. */
  readonly text: string | undefined;
  /** The size of the complete file. */
  readonly size: number;
}

/** Reads the beginning of a file. Contents never change, so it is read once. */
export function useFileHead(fileId: string): UseQueryResult<FileHead, Error> {
  return useQuery<FileHead, Error>({
    queryKey: ["files.download", fileId, HEAD_BYTES],
    queryFn: ({ signal }) => readHead(fileId, signal),
    staleTime: Infinity,
  });
}

async function readHead(fileId: string, signal: AbortSignal): Promise<FileHead> {
  const { workspace, environment } = place;
  const answer = await fetch(`${BASE_PATH}/api/v1/files/${fileId}/content`, {
    headers: {
      range: `bytes=0-${HEAD_BYTES - 1}`,
      ...(workspace !== undefined && { "x-workspace": workspace }),
      "x-environment": environment,
    },
    signal,
  });
  // An empty file has no valid byte range.
  if (answer.status === 416) return { text: "", size: 0 };
  if (!answer.ok) throw new ApiError(answer.status, (await answer.json()) as object);
  const bytes = await readBytes(answer);
  const total = /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1];
  const size = Number(total ?? answer.headers.get("content-length") ?? bytes.length);
  return { text: decodeText(bytes), size };
}

/** Reads only the requested bytes, in case a proxy ignored the range and sent the whole file. */
async function readBytes(answer: Response): Promise<Uint8Array> {
  const bytes = new Uint8Array(HEAD_BYTES);
  let at = 0;
  const reader = answer.body?.getReader();
  while (reader && at < HEAD_BYTES) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes.set(value.subarray(0, HEAD_BYTES - at), at);
    at = Math.min(HEAD_BYTES, at + value.length);
  }
  await reader?.cancel();
  return bytes.subarray(0, at);
}

// oxlint-disable-next-line no-control-regex -- These are what a text does not have.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** Decodes UTF-8 or an older encoding; the last character may be truncated. */
export function decodeText(bytes: Uint8Array): string | undefined {
  for (const encoding of encodingsOf(bytes)) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
      if (!CONTROL.test(text)) return text;
    } catch {
      // Not in this encoding: the next one is tried.
    }
  }
  return undefined;
}

function encodingsOf([first, second]: Uint8Array): readonly string[] {
  if (first === 0xff && second === 0xfe) return ["utf-16le"];
  if (first === 0xfe && second === 0xff) return ["utf-16be"];
  return ["utf-8", "windows-1252"];
}
