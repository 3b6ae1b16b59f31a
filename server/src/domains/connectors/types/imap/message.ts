/** Messages as actions return them. Nothing is parsed here; all data comes from the server's own structures. */
import type { FetchMessageObject, ImapFlow, MessageStructureObject } from "imapflow";

/** The limit for a text of a message. */
const TEXT_BYTES_MAX = 262_144;
const PARTS_MAX = 200;

export interface MessagePart {
  readonly part: string;
  readonly mediaType: string;
  readonly name: string | null;
  readonly size: number;
  readonly isAttached: boolean;
}

/** A message as in a list. */
export function toSummary({ uid, envelope, flags, size }: FetchMessageObject) {
  const { from, to, cc, subject, date, messageId, inReplyTo } = envelope ?? {};
  const addresses = (list: typeof from) =>
    (list ?? []).map(({ name, address }) => ({ name: name ?? null, address: address ?? null }));
  return {
    uid,
    messageId: messageId ?? null,
    inReplyTo: inReplyTo ?? null,
    subject: subject ?? "",
    from: addresses(from),
    to: addresses(to),
    cc: addresses(cc),
    date: toTime(date),
    flags: [...(flags ?? [])],
    size: size ?? 0,
  };
}

/** A server may send an invalid date. */
function toTime(date: Date | string | undefined): string | null {
  const ms = date === undefined ? NaN : new Date(date).getTime();
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** The content parts of a message in order. */
export function listParts(root: MessageStructureObject | undefined): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  const left = root ? [root] : [];
  for (let node = left.shift(); node && parts.length < PARTS_MAX; node = left.shift()) {
    if (node.childNodes && !node.type.startsWith("message/")) {
      left.unshift(...node.childNodes);
      continue;
    }
    const name = node.dispositionParameters?.["filename"] ?? node.parameters?.["name"] ?? null;
    parts.push({
      // A message with one part has no part number in its structure.
      part: node.part ?? "1",
      mediaType: node.type,
      name,
      size: node.size ?? 0,
      isAttached: node.disposition === "attachment" || name !== null,
    });
  }
  return parts;
}

/** The first text part of a type that is not an attachment; null if there is none. */
export async function readText(
  client: ImapFlow,
  uid: number,
  parts: readonly MessagePart[],
  mediaType: string,
): Promise<string | null> {
  const found = parts.find((one) => one.mediaType === mediaType && !one.isAttached);
  if (!found) return null;
  const { content } = await client.download(String(uid), found.part, {
    uid: true,
    maxBytes: TEXT_BYTES_MAX,
  });
  if (!content) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
