/** Recorded runs as files: step outputs for testing a workflow. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, Schemas } from "@millrace/client";
import { CommandError } from "../../usage.ts";
import { fileName, FIXTURES, replaceFile } from "../files.ts";

export type Recorded = Schemas["WorkflowFixture"];

export type Expectation = NonNullable<Recorded["expect"]>;
export type ExpectedSteps = NonNullable<Expectation["steps"]>;

/** Writes a run to the folder of its workflow. Returns the path. */
export async function recordFixture(
  client: Client,
  folder: string,
  {
    runId,
    name = runId,
    steps,
  }: {
    readonly runId: string;
    readonly name: string | undefined;
    /** Comma-separated ids of steps whose outputs are expected. */
    readonly steps: string | undefined;
  },
): Promise<string> {
  const { data } = await client.code.fixture({ query: { runId } });
  const place = join(folder, FIXTURES, fileName(data.workflow));
  mkdirSync(place, { recursive: true });
  const path = join(place, `${fileName(name)}.json`);
  writeFixture(path, steps === undefined ? data : { ...data, expect: expectSteps(data, steps) });
  return path;
}

/** The result of a recorded run and the outputs of some steps as a test expectation. */
function expectSteps({ status, output = null, steps }: Recorded, named: string): Expectation {
  const ids = named.split(",").map((id) => id.trim());
  const unknown = ids.find((id) => !Object.hasOwn(steps, id));
  if (unknown !== undefined) {
    const known = Object.keys(steps).join(", ");
    throw new CommandError(`The run has no step ${unknown}. Its steps: ${known}.`, 2);
  }
  const outputs = ids.map((id) => [id, { output: steps[id]?.output ?? null }]);
  return { status, output, steps: Object.fromEntries(outputs) as ExpectedSteps };
}

export function writeFixture(path: string, fixture: Recorded): void {
  replaceFile(path, `${JSON.stringify(fixture, null, 2)}\n`);
}

/** All fixtures of a folder with their files. */
export function readFixtures(
  folder: string,
): readonly { readonly path: string; readonly fixture: Recorded }[] {
  const root = join(folder, FIXTURES);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => ({ path: join(root, name), fixture: readFixture(join(root, name)) }));
}

function readFixture(path: string): Recorded {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Recorded;
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`, 2);
  }
}
