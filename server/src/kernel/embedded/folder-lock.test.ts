import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimFolder } from "./folder-lock.ts";
import { processIdentity } from "./processes.ts";

const ME = processIdentity(process.pid);
/** A pid above the kernel's maximum, and a boot id that never existed. */
const DEAD = "4194305 00000000:1";
const DEAD_SUCCESSOR = "4194306 00000000:2";
const RACERS = 6;
const RACES = 40;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-owner-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("claims a free folder and frees it on release", async () => {
  const release = await claimFolder(folder);
  expect(await owner()).toBe(ME);
  await expect(claimFolder(folder)).rejects.toMatchObject({ pid: process.pid, folder });
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["a dead process", DEAD],
  ["an earlier process with the pid of a living one", `${process.ppid} 00000000:1`],
  ["an earlier process with our own pid", `${process.pid} 00000000:1`],
  ["nobody, after a power failure", ""],
])("takes over the owner file of %s", async (_, content) => {
  await writeFile(join(folder, "owner"), content);
  await claimFolder(folder);
  expect(await owner()).toBe(ME);
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("rejects a folder with a running owner, names the owner and changes nothing", async () => {
  await writeFile(join(folder, "owner"), processIdentity(process.ppid) ?? "");
  await expect(claimFolder(folder)).rejects.toThrow(
    `The data folder ${folder} is in use by process ${process.ppid}`,
  );
  expect(await owner()).toBe(processIdentity(process.ppid));
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("takes over from a successor that was killed during the take-over", async () => {
  await leaveHalfSuccession(folder);
  await claimFolder(folder);
  expect(await owner()).toBe(ME);
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("exactly one of several concurrent processes becomes the owner", async () => {
  const racers = Array.from({ length: RACERS }, startRacer);
  try {
    for (let race = 0; race < RACES; race++) {
      const track = await mkdtemp(join(folder, "race-"));
      if (race % 3 === 1) await writeFile(join(track, "owner"), DEAD);
      if (race % 3 === 2) await leaveHalfSuccession(track);
      const results = await Promise.all(racers.map((run) => run.claim(track)));
      expect(results.toSorted()).toEqual([...Array(RACERS - 1).fill("FolderInUse"), "won"]);
      expect(await readdir(track)).toEqual(["owner"]);
    }
  } finally {
    for (const { child } of racers) child.kill("SIGKILL");
  }
});

async function owner(): Promise<string> {
  return readFile(join(folder, "owner"), "utf8");
}

/** The files left by a killed owner whose successor was killed during the take-over. */
async function leaveHalfSuccession(at: string): Promise<void> {
  const hash = createHash("sha256").update(DEAD).digest("hex").slice(0, 12);
  await writeFile(join(at, "owner"), DEAD);
  await writeFile(join(at, `owner.after-${hash}`), DEAD_SUCCESSOR);
}

/** A process that claims each folder whose path it reads, and reports the result. */
function startRacer(): { child: ChildProcess; claim: (track: string) => Promise<string> } {
  const program = `
    import { createInterface } from "node:readline";
    import { claimFolder } from ${JSON.stringify(join(import.meta.dirname, "folder-lock.ts"))};
    for await (const track of createInterface({ input: process.stdin }))
      console.log(await claimFolder(track).then(() => "won", (error) => error.name));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    claim: async (track) => {
      child.stdin.write(`${track}\n`);
      return String((await answers.next()).value);
    },
  };
}
