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
/** A pid above the kernel's greatest, and a boot that never was. */
const DEAD = "4194305 00000000:1";
const DEAD_SUCCESSOR = "4194306 00000000:2";
const RACERS = 6;
const RACES = 40;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-owner-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a free folder is claimed, and free again after the release", async () => {
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
])("the owner file of %s is taken over", async (_, content) => {
  await writeFile(join(folder, "owner"), content);
  await claimFolder(folder);
  expect(await owner()).toBe(ME);
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("a live owner holds the folder; the error names it and changes nothing", async () => {
  await writeFile(join(folder, "owner"), processIdentity(process.ppid) ?? "");
  await expect(claimFolder(folder)).rejects.toThrow(
    `The data folder ${folder} is in use by process ${process.ppid}`,
  );
  expect(await owner()).toBe(processIdentity(process.ppid));
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("a successor that was killed half way is succeeded in turn", async () => {
  await leaveHalfSuccession(folder);
  await claimFolder(folder);
  expect(await owner()).toBe(ME);
  expect(await readdir(folder)).toEqual(["owner"]);
});

test("of several processes at once exactly one becomes the owner, in every race", async () => {
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

/** What is left when an owner was killed, and then its successor in the middle of the take-over. */
async function leaveHalfSuccession(at: string): Promise<void> {
  const hash = createHash("sha256").update(DEAD).digest("hex").slice(0, 12);
  await writeFile(join(at, "owner"), DEAD);
  await writeFile(join(at, `owner.after-${hash}`), DEAD_SUCCESSOR);
}

/** A process that claims each folder whose path it reads, and says how that went. */
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
