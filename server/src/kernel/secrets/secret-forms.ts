/** Shorter texts occur everywhere by chance. */
export const SECRET_CHARACTERS_MIN = 4;
/** The minimum length of a base64 part to search for inside a longer text. */
const BASE64_PART_CHARACTERS_MIN = 8;
/** A longer value gets only encodings that are fast to compute, because this blocks the event loop. */
const RARE_FORMS_CHARACTERS_MAX = 4_096;

/**
 * Every encoding in which a sent value may be returned: unchanged, escaped in JSON (also nested), in a URL or form,
 * and in base64. Most values have few different ones.
 */
export function encodingsOf(value: string): string[] {
  // A header trims its value.
  const forms = [...new Set([value, value.trim()])].flatMap((text) => {
    const wellFormed = text.toWellFormed();
    const usual = [
      ...jsonEncodings(text),
      ...urlEncodings(wellFormed),
      ...base64Encodings(wellFormed),
    ];
    return text.length > RARE_FORMS_CHARACTERS_MAX
      ? usual
      : [...usual, ...rareEncodings(text, usual)];
  });
  return [...new Set(forms)].filter((form) => form.length >= SECRET_CHARACTERS_MIN);
}

function jsonEncodings(text: string): string[] {
  const once = escapeJson(text);
  return [text, once, escapeJson(once)];
}

/** Encodes a path segment. Colons, which some tokens contain, stay unencoded. */
export function encodePathPart(value: string): string {
  return encodeURIComponent(value).replaceAll("%3A", ":");
}

/** Characters that are valid in a path part (RFC 3986), which servers do not encode when they repeat it. */
const ENCODED_PATH_CHARACTER = /%(?:3A|40|24|26|2B|2C|3B|3D)/g;

function urlEncodings(text: string): string[] {
  return [
    encodeURIComponent(text),
    encodePathPart(text),
    encodeURIComponent(text).replaceAll(ENCODED_PATH_CHARACTER, (one) => decodeURIComponent(one)),
    encodeURI(text),
    new URLSearchParams([["", text]]).toString().slice(1),
  ];
}

function base64Encodings(text: string): string[] {
  const bytes = Buffer.from(text);
  const whole = bytes.toString("base64");
  const parts = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const forms = [
    whole,
    whole.replace(/=+$/, ""),
    ...parts.filter((part) => part.length >= BASE64_PART_CHARACTERS_MIN),
  ];
  return [...forms, ...forms.map(toBase64Url), encodeURIComponent(whole)];
}

/** The encodings of other programs: all slashes or all non-ASCII characters escaped, or %2f instead of %2F. */
function rareEncodings(text: string, usual: readonly string[]): string[] {
  const json = escapeJson(text);
  const small = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${toHex(unit)}`);
  const large = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${toHex(unit).toUpperCase()}`);
  const strict = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, percentEncode);
  const texts = [json.replaceAll("/", "\\/"), small, large];
  const urls = usual.filter((form) => form.includes("%"));
  return [...texts, ...texts.map(escapeJson), strict, ...[strict, ...urls].map(toLowerHex)];
}

/** The base64 characters of these bytes only, after a number of other bytes (modulo 3). */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const bits = (offset + bytes.length) * 8;
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}

const BEYOND_ASCII = /[^\0-\x7f]/g;

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function toHex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function toLowerHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
}

function toBase64Url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}
