import secureJson from "secure-json-parse";
import { Failure, invalidField, MalformedRequest } from "../operation/failure.ts";

const DEPTH_MAX = 64;

/** Parses a JSON body into something that every later step can handle. An empty body is none. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const value = parse(decode(bytes));
  assertSound(value, "", 0);
  return value;
}

/** The media types that have a parser: JSON, and that of HTML forms. */
export const JSON_MEDIA_TYPE = "application/json";
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";

/** Parses a form into an object of texts; a name that comes twice is refused, not guessed about. */
export function parseForm(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(decode(bytes))) {
    if (name in fields) throw invalidField(`/${name}`, "comes more than once");
    fields[name] = value;
  }
  const value = { ...fields };
  assertSound(value, "", 0);
  return value;
}

/** A text as it is. */
export function parseText(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  assertSoundText(text, "");
  return text;
}

/**
 * Reads what somebody sends who knows nothing of us: JSON, a form or any other text. A name that comes
 * twice in a form has a list of values. No body is null.
 */
export function parseAnyBody(bytes: Buffer, mediaType: string): unknown {
  if (bytes.length === 0) return null;
  if (mediaType === JSON_MEDIA_TYPE || mediaType.endsWith("+json")) return parseBody(bytes);
  const text = decode(bytes);
  const value = mediaType === FORM_MEDIA_TYPE ? fieldsOf(new URLSearchParams(text)) : text;
  assertSound(value, "", 0);
  return value;
}

function fieldsOf(form: URLSearchParams): Readonly<Record<string, string | string[]>> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = "", ...others] = form.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure(MalformedRequest, { detail: "The body is not valid UTF-8." });
  }
}

/** What the parser says of JSON that is valid, and would reach into other objects where it is copied. */
const FORBIDDEN = "Object contains forbidden prototype property";

function parse(text: string): unknown {
  try {
    return secureJson.parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch (error) {
    if (error instanceof Error && error.message === FORBIDDEN) {
      const detail =
        "A member named `__proto__`, or `constructor` with a `prototype`, is not taken.";
      throw new Failure(MalformedRequest, { detail });
    }
    // The parser quotes what it met, which may be a secret; the position is enough.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    const detail = `The body is not valid JSON${position ? ` at ${position}` : ""}.`;
    throw new Failure(MalformedRequest, { detail });
  }
}

/**
 * PostgreSQL stores neither NUL nor half a surrogate pair, JSON numbers may overflow to infinity, and
 * deep nesting exhausts the stack of whatever walks it; all of it is refused here, once.
 */
export function assertSound(value: unknown, path: string, depth = 0): void {
  if (typeof value === "string") return assertSoundText(value, path);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw invalidField(path, "is too large a number");
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (depth >= DEPTH_MAX) throw invalidField(path, `is nested more than ${DEPTH_MAX} levels deep`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      assertSound(value[index], `${path}/${index}`, depth + 1);
    }
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    assertSoundText(key, path);
    assertSound(part, `${path}/${key}`, depth + 1);
  }
}

/** The same for what stands in the URL; `mark` is how faults name that part of it. */
export function assertSoundTexts(texts: object, mark: "?" | ":"): void {
  for (const [name, value] of Object.entries(texts)) {
    assertSoundText(name, mark);
    assertSound(value, `${mark}${name}`, 0);
  }
}

function assertSoundText(text: string, path: string): void {
  if (text.includes("\u0000")) throw invalidField(path, "must not contain a NUL character");
  if (!text.isWellFormed()) throw invalidField(path, "is not well-formed Unicode");
}
