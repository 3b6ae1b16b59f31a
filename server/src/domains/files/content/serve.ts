/**
 * The response with a file's content. It is untrusted and served from our origin, so browsers may only display inert
 * types and must not sniff others.
 */
import type { RangeConditions } from "#kernel/access/caller.ts";
import { parseByteRange, rangeHeaders } from "#kernel/operation/byte-range.ts";
import type { ResponseType } from "#kernel/operation/response.ts";
import type { OpenedFile } from "../open-file.ts";
import { contentDisposition } from "./file-name.ts";

/** Types that browsers may display inline. Not SVG or HTML, which can run scripts. */
const INERT = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "text/plain",
]);

/** Active types are sent with an inert type. */
const ACTIVE =
  /^(text\/html|application\/(xml|xhtml\+xml)|image\/svg\+xml|text\/(javascript|xml))$/;

export interface ServedContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly isPartial: boolean;
}

/** Serves a file or the requested part of it. */
export function serveFile(
  { file, read }: Pick<OpenedFile, "file" | "read">,
  conditions: RangeConditions,
  { asAttachment = false }: { readonly asAttachment?: boolean } = {},
): ServedContent {
  const { size: bytes, mediaType, name } = file;
  // The content of a file never changes.
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const range = parseByteRange(conditions, { bytes, etag });
  const isShown = INERT.has(mediaType) && !asAttachment;
  return {
    isPartial: range !== undefined,
    chunks: read(range),
    headers: {
      ...rangeHeaders(range, { bytes, etag }),
      ...safeHeaders(mediaType),
      "content-disposition": contentDisposition(isShown ? "inline" : "attachment", name),
    },
  };
}

/** The headers of a complete file in the response of another operation. */
export function wholeFileHeaders({
  mediaType,
  name,
  size,
}: Pick<OpenedFile["file"], "mediaType" | "name" | "size">): Readonly<Record<string, string>> {
  return {
    ...safeHeaders(mediaType),
    "content-length": String(size),
    "content-disposition": contentDisposition(INERT.has(mediaType) ? "inline" : "attachment", name),
  };
}

/** Headers that prevent content from running scripts. */
export function safeHeaders(mediaType: string): Readonly<Record<string, string>> {
  const type = ACTIVE.test(mediaType) ? "application/octet-stream" : mediaType;
  return {
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=0, must-revalidate",
  };
}

/** A response with the content of a file. */
export function fileContent(mediaType: string): ResponseType<ServedContent> {
  return {
    status: 200,
    alternative: { status: 206, when: ({ isPartial }) => isPartial },
    body: undefined,
    mediaType,
    wrap: () => undefined,
    headers: ({ headers }) => headers,
    stream: ({ chunks }) => chunks,
  };
}
