/** Shorter texts occur everywhere by chance, so they are no sign of a secret. */
export const SECRET_CHARACTERS_MIN = 4;
/** A piece of base64 that stands inside of a longer one has nothing around it to tell it by. */
const PIECE_CHARACTERS_MIN = 8;
/** Beyond this a value gets only the spellings that are found fast, since nothing else runs meanwhile. */
const RARE_FORMS_CHARACTERS_MAX = 4_096;

/**
 * Every spelling in which a value that we sent may come back to us: as it is, escaped in JSON (also in
 * JSON within JSON), in a URL or form, and in base64. Most values have few that differ.
 */
export function encodingsOf(value: string): string[] {
  // What sends a value may trim it, as headers do.
  const forms = [...new Set([value, value.trim()])].flatMap((text) => {
    const sound = text.toWellFormed();
    const usual = [...inJson(text), ...inUrl(sound), ...inBase64(sound)];
    return text.length > RARE_FORMS_CHARACTERS_MAX ? usual : [...usual, ...rareOf(text, usual)];
  });
  return [...new Set(forms)].filter((form) => form.length >= SECRET_CHARACTERS_MIN);
}

function inJson(text: string): string[] {
  const once = escaped(text);
  return [text, once, escaped(once)];
}

function inUrl(text: string): string[] {
  return [
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams([["", text]]).toString().slice(1),
  ];
}

function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  const whole = bytes.toString("base64");
  const pieces = [0, 1, 2].map((offset) => pieceAt(bytes, offset));
  const forms = [
    whole,
    whole.replace(/=+$/, ""),
    ...pieces.filter((piece) => piece.length >= PIECE_CHARACTERS_MIN),
  ];
  return [...forms, ...forms.map(forUrls), encodeURIComponent(whole)];
}

/** As other programs write it: every slash escaped, or all beyond ASCII, or %2f for %2F. */
function rareOf(text: string, usual: readonly string[]): string[] {
  const json = escaped(text);
  const small = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${hexOf(unit)}`);
  const large = json.replaceAll(BEYOND_ASCII, (unit) => `\\u${hexOf(unit).toUpperCase()}`);
  const strict = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, percent);
  const texts = [json.replaceAll("/", "\\/"), small, large];
  const urls = usual.filter((form) => form.includes("%"));
  return [...texts, ...texts.map(escaped), strict, ...[strict, ...urls].map(withSmallHex)];
}

/** The characters that stem from these bytes alone, when so many others (modulo 3) precede them. */
function pieceAt(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const bits = (offset + bytes.length) * 8;
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}

const BEYOND_ASCII = /[^\0-\x7f]/g;

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function withSmallHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
}

function forUrls(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}
