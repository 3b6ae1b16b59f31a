import type { Attachment } from "postal-mime";
import type { DeliveryReport } from "./parsed-mail.ts";

const CHARACTERS_MAX = 100_000;

/** Parses a delivery report (`multipart/report`, RFC 3464). Null for other mails. */
export function readReport(
  headers: Readonly<Record<string, string>>,
  attachments: readonly Attachment[],
): DeliveryReport | null {
  const type = headers["content-type"] ?? "";
  if (!/^multipart\/report\b/i.test(type) || !/report-type\s*=\s*"?delivery-status/i.test(type)) {
    return null;
  }
  const status = findText(attachments, /^message\/(global-)?delivery-status$/);
  const original = findText(
    attachments,
    /^(message\/rfc822|text\/rfc822-headers|message\/global.*)$/,
  );
  return {
    messageId: /^message-id:\s*<([^<>\s]{1,250})>/im.exec(original)?.[1] ?? null,
    recipient:
      /^(?:final|original)-recipient:\s*rfc822;\s*<?([^\s<>]{1,254})>?/im
        .exec(status)?.[1]
        ?.toLowerCase() ?? null,
    status: /^status:\s*(\d\.\d{1,3}\.\d{1,3})/im.exec(status)?.[1] ?? null,
    diagnostic: /^diagnostic-code:\s*(.{1,300})/im.exec(status)?.[1]?.trim() ?? null,
  };
}

function findText(attachments: readonly Attachment[], type: RegExp): string {
  const content = attachments.find(({ mimeType }) => type.test(mimeType))?.content;
  if (content === undefined) return "";
  const text =
    typeof content === "string" ? content : Buffer.from(content as Uint8Array).toString("utf8");
  // Unfolds header lines.
  return text.slice(0, CHARACTERS_MAX).replaceAll(/\r?\n[ \t]+/g, " ");
}
