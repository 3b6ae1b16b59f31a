/**
 * The assets of app pages: the TypeScript of `browser/` with its types stripped, which browsers load as it
 * is. Built once, at the first request; the URL has the hash of all files, so that they are cached for
 * ever.
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
  "local-time.ts",
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

let cached: Bundle | undefined;

/** The assets, with their hash. */
export function bundle(): Bundle {
  cached ??= buildBundle();
  return cached;
}

function buildBundle(): Bundle {
  const files = new Map(FILES.map((name) => [name as string, loadAsset(name)]));
  const allText = [...files.values()].map(({ text }) => text).join("\n");
  return { hash: sha256(allText).toString("hex").slice(0, HASH_CHARACTERS), files };
}

function loadAsset(name: string): Asset {
  const text = readFileSync(join(import.meta.dirname, "browser", name), "utf8");
  if (!name.endsWith(".ts")) return { mediaType: "text/css; charset=utf-8", text };
  return { mediaType: "text/javascript; charset=utf-8", text: stripTypes(text) };
}

/** Suppresses Node's warning that the function is experimental: an operator can't act on it. */
function stripTypes(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
