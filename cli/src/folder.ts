/** Artifacts as files: a source, and beside it what else belongs to the artifact. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Schemas } from "@millrace/client";
import { CommandError } from "./usage.ts";

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
    at ?? freePath(join(folder, artifact.moduleKey, fileNameOf(artifact.name)), artifact);
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

/** Two names may come to the same file name: the later one is then told apart by its id. */
function freePath(path: string, { id }: Artifact): string {
  return existsSync(`${path}.json`) ? `${path}-${id}` : path;
}

function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "artifact";
}
