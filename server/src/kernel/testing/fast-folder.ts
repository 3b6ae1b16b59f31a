import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY_FOLDER = "/dev/shm";
const MEMORY_BYTES_MIN = 2 * 1024 ** 3;

/**
 * The folder of test databases: in memory, where a copy takes a fifth of the time and commits do not wait for a disk,
 * if there is enough space and programs are allowed to run, because PostgreSQL's binaries are copied there if they are
 * in root's home. Tests kill databases but cannot cut the power, so no written data is lost.
 */
export function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .findLast((line) => line.split(" ")[1] === MEMORY_FOLDER);
    const isRoomy = bavail * bsize >= MEMORY_BYTES_MIN;
    return isRoomy && mount !== undefined && !mount.includes("noexec") ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
