/**
 * `npm test`: runs checks and tests, in parallel if there is enough memory, because the tests leave a seventh of two
 * processors idle. Each prints its results; the output of parallel checks comes last, so that it is visible at the
 * end. Arguments after `--` are passed to the tests.
 *
 * With `--short` it skips expensive tests that rarely fail alone (`vitest.config.ts`).
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { availableMemory } from "node:process";

const REPOSITORY = join(import.meta.dirname, "..");
/** The linter uses three gigabytes, and the tests with their browsers and databases six. */
const TOGETHER_BYTES_MIN = 10 * 1024 ** 3;

/** The type checker is a Go program. Less frequent garbage collection saves a twelfth of its time. */
const GOGC = "400";

const words = process.argv.slice(2).filter((word) => word !== "--short");
const isShort = process.argv.includes("--short");

/** The folder of the notice about skipped tests, printed last. */
const noticeFolder = mkdtempSync(join(tmpdir(), "millrace-notice-"));
const noticeFile = join(noticeFolder, "notice");

/**
 * @param {readonly string[]} args
 * @param {(text: Buffer) => void} [onText] - Receives the output. By default it is printed immediately.
 * @returns {Promise<boolean>} Whether it succeeded.
 */
function runScript(args, onText) {
  const stdio = onText === undefined ? "inherit" : "pipe";
  const env = {
    GOGC,
    ...process.env,
    ...(isShort && { MILLRACE_TESTS: "short" }),
    MILLRACE_NOTICE_FILE: noticeFile,
  };
  const child = spawn("npm", ["run", ...args], { cwd: REPOSITORY, env, stdio });
  if (onText) for (const stream of [child.stdout, child.stderr]) stream?.on("data", onText);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}

const runTests = () => runScript(["-w", "server", "test", "--", ...words]);

/** @returns {Promise<boolean>} Whether both succeeded. */
async function runTogether() {
  /** @type {Buffer[]} */
  const said = [];
  const checking = runScript(["check"], (text) => said.push(text));
  void checking.then((isGood) => {
    if (!isGood) process.stderr.write("\nThe checks failed: see the end.\n");
  });
  const areTestsGood = await runTests();
  const areChecksGood = await checking;
  process.stdout.write(Buffer.concat(said));
  if (!areTestsGood) process.stderr.write("\nTests failed: see above.\n");
  if (!areChecksGood) process.stderr.write("\nThe checks failed.\n");
  return areTestsGood && areChecksGood;
}

const isRoomy = availableMemory() >= TOGETHER_BYTES_MIN;
const isGood = isRoomy ? await runTogether() : (await runScript(["check"])) && (await runTests());
if (isShort && isGood) {
  process.stdout.write(
    "\nLeft out: whole processes, commands of the host, most journeys, and what is large.\n",
  );
}
if (existsSync(noticeFile)) process.stderr.write(readFileSync(noticeFile));
rmSync(noticeFolder, { recursive: true });
process.exitCode = isGood ? 0 : 1;
