/** The beginning of a file, as a text: a look costs the same of a file of a hundred megabytes and of a small one. */
import { ApiError } from "@millrace/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { BASE_PATH, place } from "../place.ts";

export const HEAD_BYTES = 64 * 1_024;

export interface FileHead {
  /** Undefined where it is no text. */
  readonly text: string | undefined;
  /** Of the whole file, as the server has it. */
  readonly size: number;
}

/** Reads the beginning of a file. Its content never changes, so it is read once. */
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
  // Of nothing there is no first byte.
  if (answer.status === 416) return { text: "", size: 0 };
  if (!answer.ok) throw new ApiError(answer.status, (await answer.json()) as object);
  const bytes = await readBytes(answer);
  const total = /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1];
  const size = Number(total ?? answer.headers.get("content-length") ?? bytes.length);
  return { text: decodeText(bytes), size };
}

/** As many bytes as were asked for, though something between here and the server sent all of them. */
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

/** UTF-8, or what old programs write; the last character may be cut. */
export function decodeText(bytes: Uint8Array): string | undefined {
  for (const encoding of encodingsOf(bytes)) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
      if (!CONTROL.test(text)) return text;
    } catch {
      // It is of another encoding.
    }
  }
  return undefined;
}

function encodingsOf([first, second]: Uint8Array): readonly string[] {
  if (first === 0xff && second === 0xfe) return ["utf-16le"];
  if (first === 0xfe && second === 0xff) return ["utf-16be"];
  return ["utf-8", "windows-1252"];
}
