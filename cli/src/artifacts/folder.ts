/** Artifacts as files: a source, and next to it the artifact's other data. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { Schemas } from "@millrace/client";
import { CommandError } from "../usage.ts";

type Artifact = Schemas["Artifact"];
type Detail = Omit<Artifact["detail"], "scriptSource">;

/** The contents of `<name>.json`. */
export interface Card {
  /** Absent if it was never pushed. */
  readonly id?: string;
  readonly name: string;
  readonly artifactType: Artifact["artifactType"];
  readonly moduleKey: string;
  readonly status: Artifact["status"];
  readonly description: string;
  readonly detail: Detail;
  /** The last known change on the server. */
  readonly updatedAt?: string;
}

export interface LocalArtifact {
  /** Without a file extension. */
  readonly path: string;
  readonly card: Card;
  readonly source: string;
}

/** Every artifact in a folder: each JSON file with a source of the same name. */
export function readFolder(folder: string): LocalArtifact[] {
  if (!existsSync(folder)) throw new CommandError(`The folder ${folder} does not exist.`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json") && !name.includes("node_modules"))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name.slice(0, -".json".length));
      const ending = [".ts", ".js"].find((one) => existsSync(path + one));
      return ending === undefined ? [] : [readOne(path, ending)];
    });
}

/** Sources without a card. Test and type files are excluded. */
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

/** Creates a card, and a source unless it exists. Returns the path without extension. */
export function createArtifact(folder: string, name: string, moduleKey: string): string {
  const found = findOrphansIn(folder).find(
    (path) => basename(path).replace(/\.[tj]s$/, "") === name,
  );
  const path =
    found?.replace(/\.[tj]s$/, "") ?? join(moduleFolder(folder, moduleKey), fileNameOf(name));
  if (existsSync(`${path}.json`)) throw new CommandError(`${path}.json already exists.`);
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

/** Writes an artifact. Returns its path without extension. */
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

/** Writes the server's data of an artifact whose source is already stored there. */
export function writeCard(path: string, card: Card): void {
  writeFileSync(`${path}.json`, `${JSON.stringify(card, null, 2)}\n`);
}

/** The data stored next to the source. */
export function cardOf(artifact: Artifact, detail: Detail): Card {
  const { id, name, artifactType, moduleKey, status, description, updatedAt } = artifact;
  return { id, name, artifactType, moduleKey, status, description, detail, updatedAt };
}

/**
 * Two names can give the same file name; the later one gets its id as a suffix. A source without an artifact is a
 * user's file and is never overwritten.
 */
function freePath(path: string, { id }: Artifact): string {
  const apart = `${path}-${fileNameOf(id)}`;
  const free = [path, apart].find((one) => ENDINGS.every((ending) => !existsSync(one + ending)));
  if (free === undefined) throw new CommandError(`${apart} already exists.`);
  return free;
}

const ENDINGS = [".json", ".ts", ".js"];

/** The folder of a module. The server chooses its name, so a name that leads outside is rejected. */
function moduleFolder(folder: string, moduleKey: string): string {
  const path = join(folder, moduleKey);
  const way = relative(folder, path);
  if (way.split(/[\\/]/).includes("..") || isAbsolute(way) || moduleKey.includes("\0")) {
    throw new CommandError(`The module ${JSON.stringify(moduleKey)} is outside of ${folder}.`);
  }
  return path;
}

function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "artifact";
}
