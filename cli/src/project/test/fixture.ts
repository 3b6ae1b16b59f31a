/** Recorded runs as files: what the steps of a run gave, to test its workflow with. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, Schemas } from "@millrace/client";
import { CommandError } from "../../usage.ts";
import { fileName, FIXTURES, replaceFile } from "../files.ts";

export type Recorded = Schemas["WorkflowFixture"];

/** A fixture as its file has it. */
export interface FixtureFile extends Recorded {
  /** What a test wants; that the run goes as it did unless given. */
  readonly expect?: { readonly status: "completed" | "failed"; readonly output: unknown };
}

/** Writes a run to the folder of its workflow; tells where. */
export async function recordFixture(
  client: Client,
  folder: string,
  { runId, name = runId }: { readonly runId: string; readonly name: string | undefined },
): Promise<string> {
  const { data } = await client.code.fixture({ query: { runId } });
  const place = join(folder, FIXTURES, fileName(data.workflow));
  mkdirSync(place, { recursive: true });
  const path = join(place, `${fileName(name)}.json`);
  writeFixture(path, data);
  return path;
}

export function writeFixture(path: string, fixture: FixtureFile): void {
  replaceFile(path, `${JSON.stringify(fixture, null, 2)}\n`);
}

/** Every fixture of a folder, with its file. */
export function readFixtures(
  folder: string,
): readonly { readonly path: string; readonly fixture: FixtureFile }[] {
  const root = join(folder, FIXTURES);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => ({ path: join(root, name), fixture: readFixture(join(root, name)) }));
}

function readFixture(path: string): FixtureFile {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as FixtureFile;
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`, 2);
  }
}
