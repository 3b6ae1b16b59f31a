import type { RangeConditions } from "../access/caller.ts";
import type { ByteSpan } from "../blob-store/blob-store.ts";
import { Failure, failure } from "./failure.ts";

export const RangeNotSatisfiable = failure(
  "range_not_satisfiable",
  416,
  "The requested range is outside the file.",
);

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The requested part of a file (RFC 9110, 14). Undefined for the whole file, which is also the response to
 * several ranges and to a range of another version.
 */
export function parseByteRange(
  { range, ifRange }: RangeConditions,
  { bytes, etag }: { readonly bytes: number; readonly etag: string },
): ByteSpan | undefined {
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const [, first = "", last = ""] = RANGE.exec(range ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const span = first === "" ? lastBytes(bytes, Number(last)) : between(bytes, first, last);
  if (span.from < span.to) return span;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  throw new Failure(RangeNotSatisfiable, { headers: { "content-range": `bytes */${bytes}` } });
}

function lastBytes(bytes: number, count: number): ByteSpan {
  return { from: Math.max(0, bytes - count), to: bytes };
}

function between(bytes: number, first: string, last: string): ByteSpan {
  return { from: Number(first), to: last === "" ? bytes : Math.min(bytes, Number(last) + 1) };
}

/** Builds the headers for a file or a byte range. */
export function rangeHeaders(
  range: ByteSpan | undefined,
  { bytes, etag }: { readonly bytes: number; readonly etag: string },
): Readonly<Record<string, string>> {
  const { from, to } = range ?? { from: 0, to: bytes };
  return {
    etag,
    "accept-ranges": "bytes",
    "content-length": String(to - from),
    ...(range && { "content-range": `bytes ${from}-${to - 1}/${bytes}` }),
  };
}
