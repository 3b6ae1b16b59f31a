import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { readText } from "./messages.ts";

/** Handles a request of a script's context. Returns `=` and the result, or `!` and the error. */
export function answerHostRequest(method: unknown, args: unknown): string {
  try {
    const parsed: unknown = JSON.parse(String(args));
    return `=${answerRequest(String(method), Array.isArray(parsed) ? parsed.map(readText) : [])}`;
  } catch (error) {
    return `!${error instanceof Error ? error.message : ""}`;
  }
}

function answerRequest(
  method: string,
  [a = "", b, c = "", d = ""]: readonly (string | undefined)[],
): string {
  switch (method) {
    case "atob":
      return atob(a);
    case "btoa":
      return btoa(a);
    case "uuid":
      return randomUUID();
    case "hash":
      return computeHash(a, b ?? "", c);
    case "hmac":
      return computeHmac(a, b ?? "", c, d);
    case "equal":
      return timingSafeEqual(digestOf(a), digestOf(b ?? "")) ? "yes" : "";
    case "form":
      return JSON.stringify([...new URLSearchParams(a)]);
    case "query":
      return new URLSearchParams(readPairs(JSON.parse(a))).toString();
    case "url":
      return serializeUrl(new URL(a, b));
    case "url.set":
      return serializeUrl(setUrlPart(new URL(a), b ?? "", c));
    default:
      throw new TypeError("Unknown request.");
  }
}

const ALGORITHMS = ["sha1", "sha256", "sha384", "sha512"];
const ENCODINGS = ["hex", "base64", "base64url"] as const;

/** The signature that webhook senders add to their requests. */
function computeHmac(algorithm: string, key: string, signed: string, encoding: string): string {
  const known = ENCODINGS.find((name) => name === encoding);
  if (!ALGORITHMS.includes(algorithm)) {
    throw new TypeError(`The algorithm must be one of ${ALGORITHMS.join(", ")}.`);
  }
  if (!known) throw new TypeError(`The encoding must be one of ${ENCODINGS.join(", ")}.`);
  return createHmac(algorithm, key).update(signed).digest(known);
}

const HASHES = ["md5", ...ALGORITHMS];

function computeHash(algorithm: string, content: string, encoding: string): string {
  const known = ENCODINGS.find((name) => name === encoding);
  if (!HASHES.includes(algorithm)) {
    throw new TypeError(`The algorithm must be one of ${HASHES.join(", ")}.`);
  }
  if (!known) throw new TypeError(`The encoding must be one of ${ENCODINGS.join(", ")}.`);
  return createHash(algorithm).update(content).digest(known);
}

/** A digest, because texts compared in constant time must have equal lengths. */
function digestOf(content: string): Buffer {
  return createHash("sha256").update(content).digest();
}

const PARTS = [
  ...(["href", "protocol", "username", "password", "host"] as const),
  ...(["hostname", "port", "pathname", "search", "hash"] as const),
];

function setUrlPart(url: URL, name: string, value: string): URL {
  const part = PARTS.find((known) => known === name);
  if (part) url[part] = value;
  return url;
}

function serializeUrl(url: URL): string {
  const parts = PARTS.map((part) => [part, url[part]] as const);
  return JSON.stringify({ ...Object.fromEntries(parts), origin: url.origin });
}

function readPairs(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: unknown) => {
    const [name, content] = Array.isArray(pair) ? pair : [];
    return [String(name), String(content)];
  });
}
