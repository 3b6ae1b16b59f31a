/** `npm run bench -- compare REV [work …]` */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Ending, explain, misused, within } from "../command.ts";
import { type Checkout, checkOut, isChanged, removeOldCheckouts } from "./checkout.ts";
import { compareRevisions } from "./comparison.ts";
import { drawComparison } from "./report.ts";
import type { Pair } from "./turns.ts";
import { WORKS } from "./works.ts";

const SECONDS_MAX = 3_600;
const SECONDS_ONE = 60;
const SECONDS_ALL = 480;
const USAGE = `npm run bench -- compare REV[..REV] [--seconds 60] [--json file] [work …]
Compares the first revision with the second, or with HEAD. Works: ${WORKS.map(({ name }) => name.replace(" ", "-")).join(", ")}; all of them when none is given.
`;

/** Runs the command and resolves to the exit status. */
export async function runCompare(args: readonly string[]): Promise<number> {
  const wanted = readCommand(args);
  const ending = new Ending();
  const tell = (line: string): void => void process.stderr.write(`${line} …\n`);
  try {
    if (wanted.isOfHead && (await isChanged())) {
      process.stderr.write("Changes that are not committed are not measured.\n");
    }
    const checkouts = await ending.orElse(checkOutBoth(wanted.revisions, tell));
    const options = { secondsEach: wanted.secondsEach, tell, signal: ending.signal };
    const comparison = await compareRevisions(checkouts, wanted.works, options);
    process.stdout.write(drawComparison(comparison, checkouts));
    if (wanted.json !== undefined) {
      writeFileSync(wanted.json, `${JSON.stringify({ checkouts, ...comparison }, null, 2)}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

async function checkOutBoth(
  revisions: Pair<string>,
  tell: (line: string) => void,
): Promise<Pair<Checkout>> {
  tell(`building ${revisions[0]}`);
  const before = await checkOut(revisions[0]);
  tell(`building ${revisions[1]}`);
  const after = await checkOut(revisions[1]);
  await removeOldCheckouts();
  return [before, after];
}

function readCommand(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { seconds: { type: "string" }, json: { type: "string" } },
    });
    const [range, ...given] = positionals;
    if (range === undefined) throw new Error("Which revision?");
    const [before = "", after = ""] = range.split("..");
    const names = given.map((name) => name.replaceAll("-", " "));
    const unknown = names.find((name) => !WORKS.some((work) => work.name === name));
    if (unknown !== undefined) throw new Error(`There is no work ${unknown}.`);
    const works = WORKS.filter(({ name }) => names.length === 0 || names.includes(name));
    const share = Math.min(SECONDS_ONE, Math.floor(SECONDS_ALL / works.length));
    return {
      revisions: [before, after === "" ? "HEAD" : after] as const,
      isOfHead: after === "" || after === "HEAD",
      works,
      secondsEach: values.seconds === undefined ? share : within(values.seconds, SECONDS_MAX),
      json: values.json,
    };
  } catch (error) {
    return misused(error, USAGE);
  }
}
