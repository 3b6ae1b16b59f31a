/** External responses that are files: requested as files, or not representable as text. */
import { readUpTo, type ResponseHead } from "#kernel/outbound/outbound.ts";
import type { FileHandle } from "./file-handle.ts";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";

/** How a response is received: by its media type, always as data, or always as a file. */
export const RESPONSE_FORMS = ["auto", "data", "file"] as const;
export type ResponseForm = (typeof RESPONSE_FORMS)[number];

/** Stores a content as a file. */
export type KeepContent = (
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  about: { readonly name: string },
) => Promise<FileHandle>;

export interface ReceivedContent {
  readonly body: unknown;
  /** True if the data exceeded the limit. `body` then contains its start. */
  readonly truncated: boolean;
}

/** Receives the body of a response: as limited data in memory, or as a file of any size. */
export async function receiveContent(
  head: ResponseHead,
  body: AsyncIterable<Uint8Array>,
  {
    form,
    bytesMax,
    keep,
  }: { readonly form: ResponseForm; readonly bytesMax: number; readonly keep: KeepContent },
): Promise<ReceivedContent> {
  const { headers } = head;
  const about = { name: responseName(head) };
  if (form === "file" || (form === "auto" && !isTextual(headers["content-type"] ?? "")))
    return { body: await keep(body, about), truncated: false };
  const read = await readUpTo(bytesMax, body);
  if (form === "auto" && !read.truncated && !isText(read.body))
    return { body: await keep([read.body], about), truncated: false };
  return { body: parseContent(headers, read.body), truncated: read.truncated };
}

/** JSON as a value, any other content as storable text. */
function parseContent(headers: ResponseHead["headers"], bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString().replaceAll("\u0000", "\uFFFD");
  const isJson = /[/+]json\b/i.test(headers["content-type"] ?? "");
  // A value that is nested too deeply could not be scanned or stored.
  if (!isJson || isNestedDeeperThan(text, JSON_DEPTH_MAX)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const TEXTUAL =
  /^\s*($|text\/|multipart\/|application\/(json|xml|[\w.-]*javascript|x-www-form-urlencoded|graphql|x-ndjson|yaml|x-yaml|sql|toml)\b|[\w.-]+\/[\w.-]+\+(json|xml|yaml)\b)/i;

/** True for text media types, and without a media type. */
function isTextual(contentType: string): boolean {
  return TEXTUAL.test(contentType);
}

/** True for bytes that are a storable text. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The file name of the sender, or the last part of the address. */
function responseName({ headers, url }: ResponseHead): string {
  const named = dispositionName(headers["content-disposition"] ?? "");
  const last = decode(url.pathname.split("/").findLast((part) => part !== "") ?? "");
  const name = named ?? (last === "" ? "response" : last);
  if (/\.\w{1,10}$/.test(name)) return name;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const extension = EXTENSIONS.get(type.trim().toLowerCase());
  return extension === undefined ? name : `${name}.${extension}`;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["text/xml", "xml"],
  ["application/pdf", "pdf"],
  ["application/zip", "zip"],
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
]);

function dispositionName(header: string): string | undefined {
  const extended = /;\s*filename\*=(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) return decode(extended);
  const [, quoted, plain] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  const name = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
  return name === undefined || name === "" ? undefined : name;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
