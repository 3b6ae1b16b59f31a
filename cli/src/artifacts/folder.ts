/** Artifacts as files: a source, and beside it what else belongs to the artifact. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { Schemas } from "@millrace/client";
import { CommandError } from "../usage.ts";

type Artifact = Schemas["Artifact"];
type Detail = Omit<Artifact["detail"], "scriptSource">;

/** The contents of `<name>.json`. */
export interface Card {
  /** Absent for what was never pushed. */
  readonly id?: string;
  readonly name: string;
  readonly artifactType: Artifact["artifactType"];
  readonly moduleKey: string;
  readonly status: Artifact["status"];
  readonly description: string;
  readonly detail: Detail;
  /** When it was last changed on the server, as far as this folder knows. */
  readonly updatedAt?: string;
}

export interface LocalArtifact {
  /** Without an ending. */
  readonly path: string;
  readonly card: Card;
  readonly source: string;
}

/** Every artifact in a folder: each JSON file with a source of the same name beside it. */
export function readFolder(folder: string): LocalArtifact[] {
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}.`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json") && !name.includes("node_modules"))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name.slice(0, -".json".length));
      const ending = [".ts", ".js"].find((one) => existsSync(path + one));
      return ending === undefined ? [] : [readOne(path, ending)];
    });
}

/** Sources without a card, which nothing is known of but their text; tests and types are none. */
export function findOrphans(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[tj]s$/.test(name) && !/\.(test|d)\.[tj]s$|node_modules/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => !existsSync(path.replace(/\.[tj]s$/, ".json")))
    .toSorted();
}

const TEMPLATE = `import { defineArtifact } from "@millrace/client/artifact";

export default defineArtifact({
  id: "NAME",
  version: "1.0.0",
  inputs: { name: { type: "string", required: true } },
  outputs: { text: { type: "string", required: true } },
  execute: (input) => ({ text: \`Hello \${input.name}\` }),
});
`;

/** Makes a card, and a source unless there is one; tells the path without an ending. */
export function createArtifact(folder: string, name: string, moduleKey: string): string {
  const found = findOrphansIn(folder).find(
    (path) => basename(path).replace(/\.[tj]s$/, "") === name,
  );
  const path =
    found?.replace(/\.[tj]s$/, "") ?? join(moduleFolder(folder, moduleKey), fileNameOf(name));
  if (existsSync(`${path}.json`)) throw new CommandError(`There is a ${path}.json already.`);
  mkdirSync(dirname(path), { recursive: true });
  if (found === undefined) writeFileSync(`${path}.ts`, TEMPLATE.replace("NAME", name));
  writeCard(path, {
    name,
    artifactType: "workflow_node",
    moduleKey,
    status: "draft",
    description: "",
    detail: {},
  } as Card);
  return path;
}

function findOrphansIn(folder: string): string[] {
  return existsSync(folder) ? findOrphans(folder) : [];
}

function readOne(path: string, ending: string): LocalArtifact {
  try {
    const card = JSON.parse(readFileSync(`${path}.json`, "utf8")) as Card;
    return { path, card, source: readFileSync(path + ending, "utf8") };
  } catch (error) {
    throw new CommandError(`${path}.json can't be read: ${(error as Error).message}`);
  }
}

/** Writes an artifact; tells its path without an ending. */
export function writeArtifact(folder: string, artifact: Artifact, at?: string): string {
  const path =
    at ??
    freePath(join(moduleFolder(folder, artifact.moduleKey), fileNameOf(artifact.name)), artifact);
  const { scriptSource, ...detail } = artifact.detail;
  mkdirSync(dirname(path), { recursive: true });
  const ending = existsSync(`${path}.js`) ? ".js" : ".ts";
  writeFileSync(path + ending, scriptSource);
  writeCard(path, cardOf(artifact, detail));
  return path;
}

/** Writes what the server says of an artifact whose source it has already. */
export function writeCard(path: string, card: Card): void {
  writeFileSync(`${path}.json`, `${JSON.stringify(card, null, 2)}\n`);
}

/** What is kept beside the source. */
export function cardOf(artifact: Artifact, detail: Detail): Card {
  const { id, name, artifactType, moduleKey, status, description, updatedAt } = artifact;
  return { id, name, artifactType, moduleKey, status, description, detail, updatedAt };
}

/**
 * Two names may come to the same file name: the later one is then told apart by its id. A source that is no artifact's
 * is somebody's own program, and is never replaced by what a server sends.
 */
function freePath(path: string, { id }: Artifact): string {
  const apart = `${path}-${fileNameOf(id)}`;
  const free = [path, apart].find((one) => ENDINGS.every((ending) => !existsSync(one + ending)));
  if (free === undefined) throw new CommandError(`There is another ${apart} already.`);
  return free;
}

const ENDINGS = [".json", ".ts", ".js"];

/** The folder of a module. Its name is the server's: one that leads out of the folder is refused. */
function moduleFolder(folder: string, moduleKey: string): string {
  const path = join(folder, moduleKey);
  const way = relative(folder, path);
  if (way.split(/[\\/]/).includes("..") || isAbsolute(way) || moduleKey.includes("\0")) {
    throw new CommandError(`The module ${JSON.stringify(moduleKey)} leads out of ${folder}.`);
  }
  return path;
}

function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "artifact";
}
