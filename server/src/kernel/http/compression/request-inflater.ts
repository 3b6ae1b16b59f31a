import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure, UnknownCoding } from "../../operation/failure.ts";

const IDENTITY: ReadonlySet<string> = new Set(["", "identity"]);
const GZIP: ReadonlySet<string> = new Set(["gzip", "x-gzip"]);

/** Removes the content coding of a body. Supports gzip up to a maximum decompressed size. */
export function decodeBody(request: IncomingMessage, bytesMax: number): Readable {
  const coding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (IDENTITY.has(coding)) return request;
  if (!GZIP.has(coding)) {
    throw new Failure(UnknownCoding, { headers: { "accept-encoding": "gzip" } });
  }
  return inflate(request, bytesMax);
}

/** The framework compares it with Content-Length. */
interface Inflated extends Readable {
  receivedEncodedLength: number;
}

function inflate(request: IncomingMessage, bytesMax: number): Readable {
  const gunzip = createGunzip();
  const body: Inflated = Object.assign(gunzip, { receivedEncodedLength: 0 });
  let length = 0;
  request.on("data", (chunk: Buffer) => (body.receivedEncodedLength += chunk.length));
  gunzip.on("data", (chunk: Buffer) => {
    length += chunk.length;
    // The framework has rejected the body but would continue to decompress it.
    if (length > bytesMax) gunzip.destroy();
  });
  // The framework handles errors while it listens.
  gunzip.on("error", () => undefined);
  request.once("close", () => {
    if (!request.complete) gunzip.destroy(new Error("The client has disconnected."));
  });
  return request.pipe(gunzip);
}
