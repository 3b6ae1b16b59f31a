import { openPartitionFile } from "#domains/files/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";

/** The bytes of a mail that was accepted. */
export async function readRawMail(
  platform: Platform,
  partition: Partition,
  fileId: string,
): Promise<Uint8Array> {
  const { read } = await openPartitionFile(platform, partition, fileId);
  const chunks: Uint8Array[] = [];
  for await (const chunk of read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
