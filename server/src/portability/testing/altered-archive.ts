import { readArchive, readArchiveFile } from "../archive/reader.ts";
import { openFileSink } from "../archive/sink.ts";
import { ArchiveWriter } from "../archive/writer.ts";
import type { NewHead } from "../archive/frame.ts";

interface Altered {
  readonly head: NewHead;
  readonly content: Buffer;
}

/** Changes a frame: undefined omits it, and a list adds frames. */
type Alter = (head: NewHead, content: Buffer) => Altered | readonly Altered[] | undefined;

/** Writes an archive with other frames and correct hashes, like an attacker. */
export async function alterArchive(from: string, to: string, alter: Alter): Promise<void> {
  const writer = await ArchiveWriter.create(await openFileSink(to));
  for await (const frame of readArchive(readArchiveFile(from))) {
    const { bytes: _, packed: __, sha256: ___, ...rest } = frame.head;
    const total = rest.kind === "end" ? { total: await writer.total() } : {};
    const altered = alter({ ...rest, ...total }, await frame.content());
    for (const one of [altered ?? []].flat()) await writer.write(one.head, one.content);
  }
  await writer.finish();
}

/** Changes the manifest of an archive to the epoch before the last possible one. */
export const withEpoch: Alter = (head, content) => {
  if (head.kind !== "manifest") return { head, content };
  const manifest = { ...(JSON.parse(content.toString()) as object), epoch: 1_022 };
  return { head, content: Buffer.from(JSON.stringify(manifest)) };
};
