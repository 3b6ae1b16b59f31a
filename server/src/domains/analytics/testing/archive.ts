import { crc32, inflateRawSync } from "node:zlib";
import { expect } from "vitest";

/** The texts in an archive by name; throws if a checksum is wrong. */
export function unzipped(archive: Buffer): Map<string, string> {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const texts = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const [crc, packed, plain] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26);
    const data = archive.subarray(from, from + (packed ?? 0));
    const content = archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data;
    expect([crc32(content), content.length]).toEqual([crc, plain]);
    texts.set(name, content.toString());
    at += 46 + nameLength;
  }
  return texts;
}
