import { ApiError, type Schemas } from "@millrace/client";
import { BASE_PATH } from "../place.ts";

type ArchiveImport = Schemas["ArchiveImport"];

/** Small enough that a broken connection costs little. */
const PART_BYTES = 16 * 1_048_576;
const ATTEMPTS_MAX = 6;
const PAUSE_MS = 1_000;

/**
 * Uploads the missing part of an archive in chunks. A failed chunk is sent again from the offset that the server
 * reports; an error response ends the upload.
 */
export async function uploadArchive(
  file: Blob,
  begun: ArchiveImport,
  { onProgress, signal }: { onProgress: (bytes: number) => void; signal: AbortSignal },
): Promise<ArchiveImport> {
  let at = begun;
  for (let failures = 0; at.state === "receiving";) {
    try {
      at = await sendPart(file, at, signal);
      failures = 0;
      onProgress(at.receivedBytes);
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
      failures += 1;
      if (failures === ATTEMPTS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** failures));
      at = await readImport(at.id, signal);
    }
  }
  return at;
}

/** A wrong offset is not final: the upload reads the correct offset and continues. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.code !== "wrong_offset";
}

function sendPart(
  file: Blob,
  { id, receivedBytes }: ArchiveImport,
  signal: AbortSignal,
): Promise<ArchiveImport> {
  return request(`${id}/content?at=${receivedBytes}`, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: file.slice(receivedBytes, receivedBytes + PART_BYTES),
    signal,
  });
}

function readImport(id: string, signal: AbortSignal): Promise<ArchiveImport> {
  return request(id, { signal });
}

async function request(path: string, init: RequestInit): Promise<ArchiveImport> {
  const answer = await fetch(`${BASE_PATH}/api/v1/installation/imports/${path}`, init);
  const said = (await answer.json()) as object;
  if (!answer.ok) throw new ApiError(answer.status, said);
  return (said as { readonly data: ArchiveImport }).data;
}
