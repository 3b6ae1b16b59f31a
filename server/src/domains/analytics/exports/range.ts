import { Failure } from "#kernel/operation/failure.ts";
import { RangeNotSatisfiable } from "./export.ts";

/** From this byte up to that, which is not among them. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part of a file that a request asks for (RFC 9110, 14); undefined for all of it, which is also the
 * answer to several parts, and where the part is of another file than this.
 */
export function rangeOf(
  headers: Readonly<Record<string, string>>,
  { bytes, etag }: { readonly bytes: number; readonly etag: string },
): Range | undefined {
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) return undefined;
  const [, first = "", last = ""] = RANGE.exec(headers["range"] ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const range = first === "" ? lastOf(bytes, Number(last)) : between(bytes, first, last);
  if (range.from < range.to) return range;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  throw new Failure(RangeNotSatisfiable, { headers: { "content-range": `bytes */${bytes}` } });
}

function lastOf(bytes: number, count: number): Range {
  return { from: Math.max(0, bytes - count), to: bytes };
}

function between(bytes: number, first: string, last: string): Range {
  return { from: Number(first), to: last === "" ? bytes : Math.min(bytes, Number(last) + 1) };
}
