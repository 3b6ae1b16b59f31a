import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StartupError } from "../startup-error.ts";

/** The operating system account of PostgreSQL. It refuses to run as root, so root uses an unprivileged account. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ["postgres", "nobody", "daemon"];

/** True if this process is root and must run PostgreSQL as another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The first suitable account of this machine. initdb requires an entry in /etc/passwd. */
export async function unprivilegedAccount(): Promise<Account> {
  const rows = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const candidate of CANDIDATES) {
    const row = rows.find(([name]) => name === candidate);
    const [uid, gid] = [Number(row?.[2]), Number(row?.[3])];
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new StartupError(
    `PostgreSQL does not run as root, and none of the accounts ${CANDIDATES.join(", ")} exists to run it as. ` +
      "Start Millrace as a user other than root, or set DATABASE_URL.",
  );
}

/** True if the account can enter the folder and its parents. Supplementary groups are dropped. */
export async function canAccess(account: Account, folder: string): Promise<boolean> {
  const path = resolve(folder);
  if (!(await allows(account, path, 0o1))) return false;
  return path === dirname(path) || canAccess(account, dirname(path));
}

/** True if the file mode gives the account all of the bits (4 read, 2 write, 1 execute). */
export async function allows(account: Account, path: string, bits: number): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bits) === bits;
}

/** Makes a folder that every account can enter, independent of the umask. */
export async function makeTraversable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}
