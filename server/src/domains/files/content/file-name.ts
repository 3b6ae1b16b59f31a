import { FILE_NAME_MAX } from "../file.ts";

const NAMELESS = "file";

/**
 * A name without a path and without what would deceive whoever reads it: control characters, and those that turn the
 * direction of writing (`exe.gpj` read as `jpg.exe`). The ending survives a cut.
 */
export function cleanFileName(name: string): string {
  const last = name.normalize("NFC").toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  if (/^\.*$/.test(plain)) return NAMELESS;
  const characters = Array.from(plain);
  if (plain.length <= FILE_NAME_MAX) return plain;
  const ending = Array.from(/\.\w{1,10}$/.exec(plain)?.[0] ?? "");
  // A character may be two of JavaScript's.
  const kept = characters.slice(0, FILE_NAME_MAX / 2 - ending.length);
  return [...kept, ...ending].join("");
}

/** The header that names a download (RFC 6266): plain for old clients, and as it is for the others (RFC 8187). */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const further = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${further}`;
}
