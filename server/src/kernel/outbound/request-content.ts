/** The content of a request, in memory or streamed. */

/** A streamed content. A redirect that repeats the request opens it again. */
export interface StreamedContent {
  /** The exact number of bytes. */
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export type RequestContent = string | Uint8Array | StreamedContent;

/** The body for the connection, with its length header. */
export function toSentBody(content: RequestContent | undefined): {
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly headers: Readonly<Record<string, string>>;
} {
  if (content === undefined) return { body: null, headers: {} };
  if (typeof content === "string" || content instanceof Uint8Array)
    return { body: content, headers: {} };
  return { body: content.open(), headers: { "content-length": String(content.length) } };
}
