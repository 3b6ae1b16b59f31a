/**
 * What our pages load: TypeScript of this folder with its types taken out, which is all that browsers
 * need. Done once, when it is first asked for; the address has the hash of it all, so that it may be kept
 * for ever.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { sha256 } from "#kernel/access/crypto.ts";

const FILES = [
  "main.ts",
  "dom.ts",
  "vnode.ts",
  "view.ts",
  "fields.ts",
  "chart.ts",
  "format.ts",
  "style.css",
] as const;
const HASH_CHARACTERS = 16;

export interface Asset {
  readonly mediaType: string;
  readonly text: string;
}

interface Bundle {
  readonly hash: string;
  readonly files: ReadonlyMap<string, Asset>;
}

let made: Bundle | undefined;

/** The files and what they are found under. */
export function bundle(): Bundle {
  made ??= make();
  return made;
}

function make(): Bundle {
  const files = new Map(FILES.map((name) => [name as string, assetOf(name)]));
  const whole = [...files.values()].map(({ text }) => text).join("\n");
  return { hash: sha256(whole).toString("hex").slice(0, HASH_CHARACTERS), files };
}

function assetOf(name: string): Asset {
  const text = readFileSync(join(import.meta.dirname, "browser", name), "utf8");
  if (!name.endsWith(".ts")) return { mediaType: "text/css; charset=utf-8", text };
  return { mediaType: "text/javascript; charset=utf-8", text: stripped(text) };
}

/** Node says each time that it may change this; there is nothing that whoever runs us could do about it. */
function stripped(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
