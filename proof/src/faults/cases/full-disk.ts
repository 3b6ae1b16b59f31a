import { spawnSync } from "node:child_process";
import { mkdtemp, rm, rmdir, statfs, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer } from "../asker.ts";
import { duringWork, type Fault, type Seen } from "../fault.ts";
import { Stage } from "../stage.ts";

const DISK_MB = 400;
const FULL_MS = 8_000;
const FILL_EVERY_MS = 50;

/** An in-memory file system of this size. Only root can mount one. */
async function smallDisk(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-disk-"));
  const size = `size=${DISK_MB}m,mode=0755`;
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", size, "millrace", folder]);
  if (status !== 0) {
    await rmdir(folder);
    throw new Error(`Only root may mount a small disk: ${String(stderr)}`);
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      spawnSync("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Keeps the disk full, even when space is freed, until the time is over, then frees space. */
async function fill(folder: string): Promise<void> {
  const file = join(folder, "ballast");
  const endsAt = performance.now() + FULL_MS;
  let bytes = 0;
  while (performance.now() < endsAt) {
    const { bavail, bsize } = await statfs(folder);
    bytes += bavail * bsize;
    // A failed write is expected: the disk is full.
    if (bavail > 0)
      await writeFile(file, Buffer.alloc(bavail * bsize), { flag: "a" }).catch(() => undefined);
    await pause(FILL_EVERY_MS);
  }
  await truncate(file, 0);
}

/** The statuses of reads and writes while the disk is full. */
async function sample(stage: Stage, during: Promise<void>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let over = false;
  void during.then(() => (over = true));
  const count = (what: string, { status }: Answer): void => {
    counts.set(`${what} ${status}`, (counts.get(`${what} ${status}`) ?? 0) + 1);
  };
  while (!over) {
    count("read", await stage.ask("GET /api/v1/workspaces/default"));
    await pause(100);
  }
  return counts;
}

const fullDisk: Fault = {
  name: "full-disk",
  about: `no room on the disk of the data folder for ${FULL_MS / 1000} s; a service manager starts the product again if it ends`,
  async run({ onStage }): Promise<Seen> {
    await using disk = await smallDisk();
    onStage(disk);
    await using stage = await Stage.open({ database: "embedded", folder: disk.folder });
    onStage(stage);
    const told: string[] = [];
    const seen = await duringWork(
      stage,
      async () => {
        const filled = fill(disk.folder);
        const counts = await sample(stage, filled);
        told.push(
          `while it was full: ${[...counts].map(([what, n]) => `${what}: ${n}`).join(", ")}`,
        );
        if (!stage.product.running) {
          told.push("the database could not go on, and the product ended; it was started again");
          await stage.startAgain();
        }
      },
      { mustShed: true, cutsClients: true },
    );
    return { lines: [...told, ...seen.lines], wrong: seen.wrong };
  },
};

/** Faults of a disk. */
export const disk: readonly Fault[] = [fullDisk];
