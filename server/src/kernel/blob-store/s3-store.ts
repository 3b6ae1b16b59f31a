/**
 * Stores objects in an S3-compatible store with path-style addresses. The operator configures the address, so
 * private addresses are allowed. The other limits of the outbound client apply: one timeout, no redirects,
 * bounded responses.
 */
import { OutboundFailed, Outbound, type OutboundResponse } from "../outbound/outbound.ts";
import { BlobMissing, type BlobStore, type ByteSpan } from "./blob-store.ts";
import { signRequest, type S3Credentials } from "./s3-signature.ts";

/** Buffered in memory for each upload. S3 requires parts of at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const ATTEMPTS_MAX = 3;

interface S3Call {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly bytesMax?: number;
}

export class S3Store implements BlobStore {
  readonly #outbound: Outbound;
  readonly #origin: string;
  readonly #bucket: string;
  readonly #folder: string;
  readonly #credentials: S3Credentials;

  constructor(address: string, extraCaPem: string | undefined) {
    const url = new URL(address);
    const [bucket = "", ...folder] = url.pathname.slice(1).split("/");
    this.#origin = url.origin;
    this.#bucket = bucket;
    this.#folder = folder.filter((word) => word !== "").join("/");
    this.#credentials = {
      keyId: decodeURIComponent(url.username),
      secret: decodeURIComponent(url.password),
      region: url.searchParams.get("region") ?? "us-east-1",
    };
    this.#outbound = new Outbound({
      allow: ["0.0.0.0/0", "::/0"],
      ...(extraCaPem !== undefined && { extraCaPem }),
    });
  }

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const parts = splitParts(content, PART_BYTES);
    const first = await parts.next();
    const only = first.done ? new Uint8Array() : first.value;
    if (only.length < PART_BYTES) {
      await this.#expect(name, { method: "PUT", body: only });
      return;
    }
    await this.#putParts(name, only, parts);
  }

  async *read(name: string, { from, to }: ByteSpan): AsyncIterable<Uint8Array> {
    for (let at = from; at < to; at += PART_BYTES) {
      const end = Math.min(at + PART_BYTES, to);
      const response = await this.#send(name, {
        method: "GET",
        headers: { range: `bytes=${at}-${end - 1}` },
        bytesMax: end - at,
      });
      if (response.status === 404) throw new BlobMissing(name);
      assertGood(response);
      if (response.body.length !== end - at) throw new BlobMissing(name);
      yield response.body;
    }
  }

  async remove(name: string): Promise<void> {
    const response = await this.#send(name, { method: "DELETE" });
    if (response.status !== 404) assertGood(response);
  }

  async close(): Promise<void> {
    await this.#outbound.close();
  }

  async #putParts(name: string, first: Uint8Array, rest: AsyncIterable<Uint8Array>): Promise<void> {
    const begun = await this.#expect(name, { method: "POST", query: { uploads: "" } });
    const uploadId = readElement(begun, "UploadId");
    try {
      const etags: string[] = [];
      const send = async (body: Uint8Array): Promise<void> => {
        const query = { partNumber: String(etags.length + 1), uploadId };
        const { headers } = await this.#expect(name, { method: "PUT", query, body });
        etags.push(headers["etag"] ?? "");
      };
      await send(first);
      for await (const part of rest) await send(part);
      const answer = await this.#expect(name, {
        method: "POST",
        query: { uploadId },
        headers: { "content-type": "application/xml" },
        body: Buffer.from(completion(etags)),
      });
      // S3 can send status 200 before it knows the result, with an error in the body.
      readElement(answer, "ETag");
    } catch (error) {
      // Incomplete parts cost as much as objects. If this call fails, a lifecycle rule of the bucket has to
      // remove them.
      await this.#send(name, { method: "DELETE", query: { uploadId } }).catch(() => undefined);
      throw error;
    }
  }

  async #expect(name: string, call: S3Call): Promise<OutboundResponse> {
    const response = await this.#send(name, call);
    assertGood(response);
    return response;
  }

  /** All calls are idempotent, because the content of an object never changes. */
  async #send(name: string, call: S3Call): Promise<OutboundResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#sendOnce(name, call);
        if (response.status < 500 || attempt === ATTEMPTS_MAX) return response;
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !(error instanceof OutboundFailed)) throw error;
      }
    }
  }

  #sendOnce(
    name: string,
    { method, query = {}, headers = {}, body, bytesMax = ANSWER_BYTES_MAX }: S3Call,
  ): Promise<OutboundResponse> {
    const key = this.#folder === "" ? name : `${this.#folder}/${name}`;
    const url = new URL(`${this.#origin}/${this.#bucket}/${key}`);
    for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value);
    const signed = signRequest(
      { method, url, headers, body: body ?? new Uint8Array() },
      this.#credentials,
      new Date(),
    );
    return this.#outbound.request({
      method,
      url: url.href,
      headers: signed,
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: bytesMax,
      allowHttp: true,
    });
  }
}

/** Splits content into parts of equal size; only the last may be smaller. */
async function* splitParts(
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, undefined> {
  let part = Buffer.allocUnsafe(partBytes);
  let filled = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length;) {
      const taken = Math.min(partBytes - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < partBytes) continue;
      yield part;
      part = Buffer.allocUnsafe(partBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', "&quot;")}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

function readElement(response: OutboundResponse, name: string): string {
  const text = Buffer.from(response.body).toString();
  const value = new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1];
  if (value === undefined) throw storeError(response);
  return value;
}

function assertGood(response: OutboundResponse): void {
  if (response.status < 200 || response.status > 299) throw storeError(response);
}

function storeError({ status, body }: OutboundResponse): Error {
  const code = /<Code>(\w+)<\/Code>/.exec(Buffer.from(body).toString())?.[1];
  return new Error(`The store of files answered ${status}${code === undefined ? "" : ` ${code}`}.`);
}
