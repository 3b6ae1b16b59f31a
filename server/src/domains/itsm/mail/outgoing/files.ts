import { openPartitionFile } from "#domains/files/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";

/** Most mail servers accept this size after base64 encoding. */
const BYTES_MAX = 10 * 1_048_576;

/** The files to send with a mail, and the names of omitted ones. */
export async function readFiles(
  platform: Platform,
  partition: Partition,
  fileIds: readonly string[],
) {
  const attachments: { filename: string; contentType: string; content: Buffer }[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  for (const id of fileIds) {
    const { file, read } = await openPartitionFile(platform, partition, id);
    if (bytes + file.size > BYTES_MAX) {
      leftOut.push(file.name);
      continue;
    }
    bytes += file.size;
    const chunks: Uint8Array[] = [];
    for await (const chunk of read()) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    attachments.push({ filename: file.name, contentType: file.mediaType, content });
  }
  return { attachments, leftOut };
}
