import { createHash, createHmac } from "node:crypto";
import type { RequestContent } from "#kernel/outbound/request-content.ts";
import type { AwsSignature } from "../auth.ts";

interface SignableRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestContent;
}

/** Signs a request for AWS and compatible services (Signature Version 4). */
export function withAwsSignature<R extends SignableRequest>(
  request: R,
  auth: AwsSignature,
  nowMs: number,
): R {
  const { region, service = "s3", accessKeyId, secretAccessKey } = auth;
  const time = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  // A file is not read twice to hash it: TLS protects its integrity.
  const { body = "" } = request;
  const hash = typeof body === "string" ? sha256(body) : "UNSIGNED-PAYLOAD";
  const headers = { ...request.headers, "x-amz-date": time, "x-amz-content-sha256": hash };
  const signed = { host: request.url.host, "x-amz-content-sha256": hash, "x-amz-date": time };
  const names = Object.keys(signed).join(";");
  const canonical = [
    request.method,
    pathOf(request.url),
    queryOf(request.url),
    ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash,
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, ` +
    `Signature=${hmac(key, text).toString("hex")}`;
  return { ...request, headers: { ...headers, authorization } };
}

/** Each part is encoded once, as it was sent. */
function pathOf({ pathname }: URL): string {
  return pathname
    .split("/")
    .map((part) => encode(decodeURIComponent(part)))
    .join("/");
}

function queryOf({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
