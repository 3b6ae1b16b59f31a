/** The content of a request: in memory, or streamed. */

/** A content that is read while it is sent; a redirect that repeats the request opens it anew. */
export interface StreamedContent {
  /** In bytes; exactly so many follow. */
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export type RequestContent = string | Uint8Array | StreamedContent;

/** The body as the connection takes it, with the header that announces its length. */
export function toSentBody(content: RequestContent | undefined): {
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly headers: Readonly<Record<string, string>>;
} {
  if (content === undefined) return { body: null, headers: {} };
  if (typeof content === "string" || content instanceof Uint8Array)
    return { body: content, headers: {} };
  return { body: content.open(), headers: { "content-length": String(content.length) } };
}
