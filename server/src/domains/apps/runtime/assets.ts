/**
 * The assets of app pages: the TypeScript of `browser/` with its types stripped, which browsers load as it
 * is. Built once, at the first request; the URL has the hash of all files, so that they are cached for
 * ever.
 */
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, join } from "node:path";
import { sha256 } from "#kernel/access/crypto.ts";

const FILES = [
  "script/main.ts",
  "script/stage.ts",
  "script/page-view.ts",
  "script/dom.ts",
  "vnode.ts",
  "view.ts",
  "table.ts",
  "board.ts",
  "fields.ts",
  "chart.ts",
  "format.ts",
  "local-time.ts",
  "script/control.ts",
  "script/message.ts",
  "script/live.ts",
  "script/drag.ts",
  "script/remember.ts",
  "script/upload.ts",
  "style.css",
  "rows.css",
  "stage.css",
] as const;
/** The charts of console and mails, beside the files of apps. */
const CHART = "@millrace/client/chart";
const chartFolder = join(import.meta.dirname, "../../../../../client/src/chart");
const isSource = (name: string): boolean => name.endsWith(".ts") && !name.endsWith(".test.ts");
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
  const folder = join(import.meta.dirname, "browser");
  const files = new Map([
    ...FILES.map((name) => [basename(name), loadAsset(join(folder, name))] as const),
    ...readdirSync(chartFolder)
      .filter(isSource)
      .map((name) => [`chart-${name}`, loadAsset(join(chartFolder, name), "./chart-")] as const),
  ]);
  const allText = [...files.values()].map(({ text }) => text).join("\n");
  return { hash: sha256(allText).toString("hex").slice(0, HASH_CHARACTERS), files };
}

/** Reads a file. `siblings` is how it names those beside it, once they all stand in one folder. */
function loadAsset(path: string, siblings = "./"): Asset {
  const text = readFileSync(path, "utf8");
  if (!path.endsWith(".ts")) return { mediaType: "text/css; charset=utf-8", text };
  const script = stripTypes(text)
    .replaceAll(/from "\.\.?\//g, `from "${siblings}`)
    .replaceAll(`from "${CHART}"`, 'from "./chart-index.ts"');
  return { mediaType: "text/javascript; charset=utf-8", text: script };
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
