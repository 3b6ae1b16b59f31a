import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import secureJson from "secure-json-parse";
import type { Caller } from "../access/caller.ts";
import {
  Failure,
  type FieldError,
  invalidField,
  MalformedRequest,
  TooLarge,
} from "../operation/failure.ts";
import { TurnTimer } from "../work/turn-timer.ts";

const DEPTH_MAX = 64;

/** Each value is checked several times, which blocks the event loop. */
const VALUES_MAX = 100_000;
/** The maximum for large bodies: a bulk of 1,000 records with all columns. */
const BULK_VALUES_MAX = 250_000;

/** Parses a JSON body and sanitises it, so that all later steps can handle its values. An empty body is undefined. */
export function parseBody(bytes: Buffer, valuesMax = VALUES_MAX): unknown {
  if (bytes.length === 0) return undefined;
  assertFewValues(bytes, valuesMax);
  const value = parse(decode(bytes));
  assertStorable(value, "");
  return value;
}

/** Parses a large body in several event loop turns, so that other requests are served in between. */
export async function parseLargeBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const turn = new TurnTimer();
  assertFewValues(bytes, BULK_VALUES_MAX);
  await turn.next();
  const value = parse(decode(bytes));
  await turn.next();
  await assertStorableInTurns(value);
  return value;
}

/** Checks the list members of a body one by one. Only lists have this many values. */
async function assertStorableInTurns(value: unknown): Promise<void> {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isPlain) return assertStorable(value, "");
  const turn = new TurnTimer();
  for (const [name, member] of Object.entries(value)) {
    assertStorableText(name, "");
    if (!Array.isArray(member)) {
      assertStorable(member, `/${name}`);
      continue;
    }
    for (const [index, one] of member.entries()) {
      if (turn.isOver()) await turn.next();
      assertStorable(one, `/${name}/${index}`);
    }
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** Counts the commas before parsing, to reject JSON with too many values. */
function assertFewValues(bytes: Buffer, valuesMax: number): void {
  if (bytes.length < 2 * valuesMax) return;
  let count = 1;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) inString = !inString;
    else if (inString) index += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA) count += 1;
    if (count <= valuesMax) continue;
    const detail = `The body has more than ${valuesMax} values. Send several smaller requests.`;
    throw new Failure(TooLarge, { detail });
  }
}

/** The parsed media types: JSON and HTML forms. */
export const JSON_MEDIA_TYPE = "application/json";
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";

/** Parses a form into an object of texts. A repeated name is an error. */
export function parseForm(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of parseFields(decode(bytes))) {
    if (name in fields) throw invalidField(`/${name}`, "appears more than once");
    fields[name] = value;
  }
  const value = { ...fields };
  assertStorable(value, "");
  return value;
}

/** Decodes a text body. */
export function parseText(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  assertStorableText(text, "");
  return text;
}

/**
 * Parses a body in any format: JSON, a form or text. A repeated form name has a list of values. An empty body
 * is null.
 */
export function parseAnyBody(bytes: Buffer, mediaType: string): unknown {
  if (bytes.length === 0) return null;
  if (mediaType === JSON_MEDIA_TYPE || mediaType.endsWith("+json")) return parseBody(bytes);
  const text = decode(bytes);
  const value = mediaType === FORM_MEDIA_TYPE ? formFields(parseFields(text)) : text;
  assertStorable(value, "");
  return value;
}

/** More fields than any form has. */
const FIELDS_MAX = 10_000;

function parseFields(text: string): URLSearchParams {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) count += 1;
  if (count <= FIELDS_MAX) return new URLSearchParams(text);
  throw new Failure(TooLarge, { detail: `The form has more than ${FIELDS_MAX} fields.` });
}

function formFields(form: URLSearchParams): Readonly<Record<string, string | string[]>> {
  const fields = new Map<string, string | string[]>();
  // `getAll` would scan all fields for each name.
  for (const [name, value] of form) {
    const former = fields.get(name);
    if (former === undefined) fields.set(name, value);
    else if (Array.isArray(former)) former.push(value);
    else fields.set(name, [former, value]);
  }
  return Object.fromEntries(fields);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure(MalformedRequest, { detail: "The body is not valid UTF-8." });
  }
}

/** The parser's message for JSON that could pollute prototypes when copied. */
const FORBIDDEN_MESSAGE = "Object contains forbidden prototype property";

function parse(text: string): unknown {
  try {
    return secureJson.parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch (error) {
    if (error instanceof Error && error.message === FORBIDDEN_MESSAGE) {
      const detail =
        "A member named `__proto__`, or `constructor` with a `prototype`, is not allowed.";
      throw new Failure(MalformedRequest, { detail });
    }
    // The parser quotes the text, which can be a secret, so only the position is reported.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    const detail = `The body is not valid JSON${position ? ` at ${position}` : ""}.`;
    throw new Failure(MalformedRequest, { detail });
  }
}

/**
 * Sanitises input once for all code: PostgreSQL stores neither NUL nor unpaired surrogates, JSON numbers can
 * overflow to infinity, and deep nesting exhausts the stack of recursive code.
 */
export function assertStorable(value: unknown, path: string): void {
  const error = findUnstorable(value, 0);
  if (error) throw invalidField(`${path}${error.path}`, error.message);
}

/** The path is only built for an error, because building it takes longer than checking the value. */
function findUnstorable(value: unknown, depth: number): FieldError | undefined {
  if (typeof value === "string") return findUnstorableText(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : { path: "", message: "is too large" };
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= DEPTH_MAX) {
    return { path: "", message: `has more than ${DEPTH_MAX} levels of nesting` };
  }
  const isList = Array.isArray(value);
  for (const key in value) {
    const errorOfKey = isList ? undefined : findUnstorableText(key);
    if (errorOfKey) return errorOfKey;
    const error = findUnstorable((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (error) return { ...error, path: `/${key}${error.path}` };
  }
  return undefined;
}

/** Sanitises the texts of the URL. `mark` names that part of the URL in errors. */
export function assertStorableTexts(texts: object, mark: "?" | ":"): void {
  for (const [name, value] of Object.entries(texts)) {
    assertStorableText(name, mark);
    assertStorable(value, `${mark}${name}`);
  }
}

function assertStorableText(text: string, path: string): void {
  const error = findUnstorableText(text);
  if (error) throw invalidField(path, error.message);
}

function findUnstorableText(text: string): FieldError | undefined {
  if (text.includes("\u0000")) return { path: "", message: "must not contain NUL characters" };
  if (!text.isWellFormed()) return { path: "", message: "must not contain unpaired surrogates" };
  return undefined;
}

/** The body of an upload as a stream. */
export function toUpload({ headers, body }: FastifyRequest): Pick<Caller, "upload"> {
  const length = headers["content-length"];
  return {
    upload: {
      // Without bytes, no parser is called. A partially read body must not be destroyed, because its connection
      // still carries the response.
      content:
        body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([]),
      contentType: headers["content-type"] ?? "",
      length: length === undefined ? undefined : Number(length),
    },
  };
}
