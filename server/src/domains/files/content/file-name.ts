import { FILE_NAME_MAX } from "../file.ts";

const NAMELESS = "file";

/**
 * Removes the path and deceptive characters from a name: control characters, and those that change the text direction
 * (`exe.gpj` shown as `jpg.exe`). The extension is kept when truncating.
 */
export function cleanFileName(name: string): string {
  const last = name.normalize("NFC").toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  if (/^\.*$/.test(plain)) return NAMELESS;
  const characters = Array.from(plain);
  if (plain.length <= FILE_NAME_MAX) return plain;
  const ending = Array.from(/\.\w{1,10}$/.exec(plain)?.[0] ?? "");
  // A character can be two UTF-16 units.
  const kept = characters.slice(0, FILE_NAME_MAX / 2 - ending.length);
  return [...kept, ...ending].join("");
}

/**
 * The Content-Disposition header of a download (RFC 6266): an ASCII name for old clients, and the original for others
 * (RFC 8187).
 */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const further = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${further}`;
}
