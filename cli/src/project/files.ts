/** A workspace as a folder: one folder per kind with one file per resource. */
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
import { isDeepStrictEqual } from "node:util";
import { printWorkflow, type WorkflowFile } from "@millrace/client/workflow";
import { parse, stringify } from "yaml";
import { runFiles } from "../typescript/run-files.ts";
import { CommandError } from "../usage.ts";

/** Resources by kind, in pack format. */
export type Items = Record<string, unknown[]>;

/** The resources of a folder with their files. */
export interface Project {
  readonly items: Items;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

export type Format = "yaml" | "ts";

/** The folder of recorded runs, which are not resources of the workspace. */
export const FIXTURES = "fixtures";

const FILE = /\.(ya?ml|json|ts)$/;
const KIND = /^[a-z_]+$/;
const LINE_WIDTH = 120;
const NO_KINDS = new Set(["node_modules", FIXTURES]);
/** Device names, which Windows does not allow as file names. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Reads every file of a folder. A TypeScript file is executed; its default export is a resource or a list of
 * resources.
 */
export async function readProject(folder: string): Promise<Project> {
  const items: Items = {};
  const paths: Record<string, string[]> = {};
  for (const { kind, path, value } of await readFiles(listFiles(folder))) {
    const read: unknown[] = Array.isArray(value) ? value : [value];
    (items[kind] ??= []).push(...read);
    (paths[kind] ??= []).push(...read.map(() => path));
  }
  if (Object.keys(items).length === 0) {
    throw new CommandError(`The folder ${folder} is empty. Run first: millrace pull`);
  }
  return { items, paths };
}

interface FileRef {
  readonly kind: string;
  readonly path: string;
}

/**
 * Writes each resource to a separate file, and removes files of deleted resources. An unchanged resource stays in its
 * TypeScript file; a changed workflow is printed there again.
 */
export async function writeItems(folder: string, items: Items, format: Format): Promise<string[]> {
  const written: string[] = [];
  const before = existsSync(folder) ? listFiles(folder) : [];
  const code = await readFiles(before.filter(({ kind, path }) => items[kind] && isCode(path)));
  for (const [kind, list] of Object.entries(items)) {
    makeKindFolder(folder, kind);
    const names = new Set<string>();
    for (const item of list) {
      const name = fileName(nameOf(item), names);
      const own = code.find((one) => one.kind === kind && hasItem(one.value, item));
      const path =
        own?.path ?? join(folder, kind, `${name}.${isPrinted(kind, format) ? "ts" : "yaml"}`);
      const isKept = own && (Array.isArray(own.value) || isDeepStrictEqual(own.value, item));
      if (!isKept)
        replaceFile(path, isCode(path) ? printWorkflow(item as WorkflowFile) : toYaml(item));
      written.push(path);
    }
  }
  const kept = new Set(written.map((path) => resolve(path)));
  for (const { kind, path } of before) {
    if (items[kind] && /\.ya?ml$/.test(path) && !kept.has(resolve(path))) rmSync(path);
  }
  return written.map((path) => relative(".", path));
}

/** Replaces an existing file or link; the target of a link is not changed. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { flag: "wx" });
  renameSync(part, path);
}

/** A name that is valid on every file system. Duplicates get a number. */
export function fileName(name: string, taken: Set<string> = new Set()): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "thing";
  const short = RESERVED.test(plain) ? `_${plain}` : plain.slice(0, 80);
  let chosen = short;
  for (let n = 2; taken.has(chosen.toLowerCase()); n += 1) chosen = `${short}-${n}`;
  taken.add(chosen.toLowerCase());
  return chosen;
}

/** Only workflows have a builder. */
function isPrinted(kind: string, format: Format): boolean {
  return format === "ts" && kind === "workflows";
}

function isCode(path: string): boolean {
  return path.endsWith(".ts");
}

function hasItem(value: unknown, item: unknown): boolean {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.some((one) => nameOf(one) === nameOf(item));
}

function toYaml(item: unknown): string {
  return stringify(item, { lineWidth: LINE_WIDTH, aliasDuplicateObjects: false });
}

/**
 * Creates the folder of a kind. The server chooses its name, so it must be inside the project folder, also if a
 * checkout contains links.
 */
function makeKindFolder(folder: string, kind: string): void {
  if (!KIND.test(kind)) {
    throw new CommandError(`Unknown kind in the response of the server: ${JSON.stringify(kind)}.`);
  }
  const path = join(folder, kind);
  mkdirSync(path, { recursive: true });
  if (lstatSync(path).isSymbolicLink()) {
    throw new CommandError(`${path} is a link. Select a folder that is not a link.`);
  }
}

function listFiles(folder: string): FileRef[] {
  if (!existsSync(folder)) throw new CommandError(`The folder ${folder} does not exist.`);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && KIND.test(entry.name) && !NO_KINDS.has(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name: kind }) =>
      readdirSync(join(folder, kind))
        .filter((name) => FILE.test(name) && !/\.(?:test\.\w+|d\.ts)$/.test(name))
        .toSorted()
        .map((name) => ({ kind, path: join(folder, kind, name) })),
    );
}

async function readFiles(
  files: readonly FileRef[],
): Promise<readonly (FileRef & { readonly value: unknown })[]> {
  const values = await runFiles(files.map(({ path }) => path).filter(isCode));
  return files.map((file) => ({
    ...file,
    value: isCode(file.path) ? values.get(file.path) : parseFile(file.path),
  }));
}

function parseFile(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`);
  }
}

function nameOf(item: unknown): string {
  const { key, slug, name } = (item ?? {}) as Record<string, unknown>;
  const known = [key, slug, name].find((one) => typeof one === "string");
  return typeof known === "string" ? known : "thing";
}
