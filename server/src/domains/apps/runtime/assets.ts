/**
 * The assets of app pages: the TypeScript of `browser/` without types, loaded directly by browsers. Built once on
 * first request; the URL contains the hash of all files, so they can be cached permanently.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { basename, join } from "node:path";
import { sha256 } from "#kernel/access/crypto.ts";
import { FORM_STYLE } from "#kernel/html/form/form-style.ts";
import { TOKENS } from "#kernel/html/tokens.ts";

const FILES = [
  "script/main.ts",
  "script/stage.ts",
  "script/page-view.ts",
  "script/dom.ts",
  "view.ts",
  "app-field.ts",
  "table.ts",
  "board.ts",
  "chart.ts",
  "format.ts",
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
/** Kernel files for form fields, in addition to the app files. */
const KERNEL_FILES = [
  "vnode.ts",
  "form/form-field.ts",
  "form/field-view.ts",
  "form/local-time.ts",
] as const;
const kernelFolder = join(import.meta.dirname, "../../../kernel/html");
/** The charts that console and mails share, in addition to the app files. */
const CHART = "@millrace/client/chart";
const chartFolder = join(import.meta.dirname, "../../../../../client/src/chart");
const isSource = (name: string): boolean => name.endsWith(".ts") && !name.endsWith(".test.ts");
const HASH_CHARACTERS = 16;

/** The Latin part of the console's font; other scripts use system fonts. */
const FONT = {
  name: "geist.woff2",
  file: "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
};
const FONT_FACE = `@font-face{font-family:"Geist Variable";font-weight:100 900;font-display:swap;src:url(${FONT.name}) format("woff2")}`;

export interface Asset {
  readonly mediaType: string;
  readonly body: string | Buffer;
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
  const files = new Map<string, Asset>([
    ...FILES.map((name) => [basename(name), loadAsset(join(folder, name))] as const),
    ...KERNEL_FILES.map((name) => [basename(name), loadAsset(join(kernelFolder, name))] as const),
    ...readdirSync(chartFolder)
      .filter(isSource)
      .map((name) => [`chart-${name}`, loadAsset(join(chartFolder, name), "./chart-")] as const),
  ]);
  const allText = [...files.values()].map(({ body }) => body).join("\n");
  const font = readFileSync(createRequire(import.meta.url).resolve(FONT.file));
  files.set(FONT.name, { mediaType: "font/woff2", body: font });
  return { hash: sha256(allText).toString("hex").slice(0, HASH_CHARACTERS), files };
}

/** Reads a file. `siblings` is its prefix for files that end up in the same folder. */
function loadAsset(path: string, siblings = "./"): Asset {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".css")) {
    // The rules of apps follow those of forms, so that they can override them.
    const look = basename(path) === "style.css" ? `${FONT_FACE}${TOKENS}${FORM_STYLE}` : "";
    return { mediaType: "text/css; charset=utf-8", body: `${look}${text}` };
  }
  const script = stripTypes(text)
    .replaceAll(/from "(?:\.{1,2}|#kernel)\/(?:[\w-]+\/)*/g, `from "${siblings}`)
    .replaceAll(`from "${CHART}"`, 'from "./chart-index.ts"');
  return { mediaType: "text/javascript; charset=utf-8", body: script };
}

/** Suppresses Node's warning that the function is experimental, because operators cannot act on it. */
function stripTypes(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
