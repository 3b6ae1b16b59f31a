/** A workspace as a folder: one file for each thing, in a folder for each kind. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse, stringify } from "yaml";
import { CommandError } from "../usage.ts";

/** Things by their kind, as packs have them. */
export type Items = Record<string, unknown[]>;

const FILE = /\.(ya?ml|json|ts)$/;
const KIND = /^[a-z_]+$/;
const LINE_WIDTH = 120;
/** Names of devices, which Windows takes for no file. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Reads every file of a folder. A TypeScript file exports its thing, or a list of them, as default. */
export async function readItems(folder: string): Promise<Items> {
  const items: Items = {};
  for (const { kind, path } of listFiles(folder)) {
    const read = await readFile(path);
    (items[kind] ??= []).push(...(Array.isArray(read) ? read : [read]));
  }
  if (Object.keys(items).length === 0) {
    throw new CommandError(`There is nothing in ${folder}; begin with: millrace pull`);
  }
  return items;
}

/** Writes each thing to a file of its own, and removes those of things that are gone; TypeScript is left alone. */
export function writeItems(folder: string, items: Items): string[] {
  const written: string[] = [];
  const before = existsSync(folder) ? listFiles(folder) : [];
  for (const [kind, list] of Object.entries(items)) {
    makeKindFolder(folder, kind);
    const names = new Set<string>();
    for (const item of list) {
      const path = join(folder, kind, `${fileName(nameOf(item), names)}.yaml`);
      const text = stringify(item, { lineWidth: LINE_WIDTH, aliasDuplicateObjects: false });
      replaceFile(path, text);
      written.push(path);
    }
  }
  const kept = new Set(written.map((path) => resolve(path)));
  for (const { kind, path } of before) {
    if (items[kind] && /\.ya?ml$/.test(path) && !kept.has(resolve(path))) rmSync(path);
  }
  return written.map((path) => relative(".", path));
}

/** Makes the folder of a kind, which the server names: it lies in the folder, whatever a checkout has linked there. */
function makeKindFolder(folder: string, kind: string): void {
  if (!KIND.test(kind)) {
    throw new CommandError(`The server names ${JSON.stringify(kind)}, which is no kind of thing.`);
  }
  const path = join(folder, kind);
  mkdirSync(path, { recursive: true });
  if (lstatSync(path).isSymbolicLink()) {
    throw new CommandError(`${path} is a link; what is pulled is written to a folder.`);
  }
}

/** Takes the place of what is there, also of a link, whose target stays as it is. */
function replaceFile(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { flag: "wx" });
  renameSync(part, path);
}

function listFiles(folder: string): { readonly kind: string; readonly path: string }[] {
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}.`);
  return readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && KIND.test(entry.name) && entry.name !== "node_modules",
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name: kind }) =>
      readdirSync(join(folder, kind))
        .filter((name) => FILE.test(name) && !/\.(test|d)\.ts$/.test(name))
        .toSorted()
        .map((name) => ({ kind, path: join(folder, kind, name) })),
    );
}

async function readFile(path: string): Promise<unknown> {
  try {
    if (path.endsWith(".ts")) {
      const module: unknown = await import(pathToFileURL(resolve(path)).href);
      return (module as { readonly default?: unknown }).default;
    }
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`);
  }
}

function nameOf(item: unknown): string {
  const { key, slug, name } = item as Record<string, unknown>;
  const known = [key, slug, name].find((one) => typeof one === "string");
  return typeof known === "string" ? known : "thing";
}

/** A name that every file system takes; a second one with it gets a number. */
function fileName(name: string, taken: Set<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "thing";
  const short = RESERVED.test(plain) ? `_${plain}` : plain.slice(0, 80);
  let chosen = short;
  for (let n = 2; taken.has(chosen.toLowerCase()); n += 1) chosen = `${short}-${n}`;
  taken.add(chosen.toLowerCase());
  return chosen;
}
