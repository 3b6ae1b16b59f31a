/** Shorter texts occur everywhere by chance. */
export const SECRET_CHARACTERS_MIN = 4;
/** The shortest part of a base64 text that is looked for inside of a longer one. */
const BASE64_PART_CHARACTERS_MIN = 8;
/** A longer value gets only the encodings that are computed fast, since that blocks the event loop. */
const RARE_FORMS_CHARACTERS_MAX = 4_096;

/**
 * Every encoding in which a value that we sent may come back to us: as it is, escaped in JSON (also in JSON
 * within JSON), in a URL or form, and in base64. Most values have few that differ.
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

/** A value as a part of a path: a colon there is a colon, and some tokens have one. */
export function encodePathPart(value: string): string {
  return encodeURIComponent(value).replaceAll("%3A", ":");
}

/** The characters that a part of a path may hold as they are (RFC 3986), which servers write so when they repeat it. */
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

/** The encodings of other programs: every slash escaped, or all beyond ASCII, or %2f for %2F. */
function rareEncodings(text: string, usual: readonly string[]): string[] {
  const json = escapeJson(text);
  const small = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${toHex(unit)}`);
  const large = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${toHex(unit).toUpperCase()}`);
  const strict = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, percentEncode);
  const texts = [json.replaceAll("/", "\\/"), small, large];
  const urls = usual.filter((form) => form.includes("%"));
  return [...texts, ...texts.map(escapeJson), strict, ...[strict, ...urls].map(toLowerHex)];
}

/** The base64 characters of these bytes alone, when so many others (modulo 3) precede them. */
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
