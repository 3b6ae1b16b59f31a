import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, readdir, readlink, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canAccess, isRoot, unprivilegedAccount } from "./account.ts";
import { findBinaries, prepareBinaries } from "./binaries.ts";
import { comesTrue } from "./processes.ts";
import { base, outcome, rows, runChild, start, useFolders, write } from "./testing/cluster.ts";

const NOBODY = { uid: 65534, gid: 65534 };

useFolders();

describe.runIf(isRoot())("as root", () => {
  test("stores the cluster of a private folder elsewhere", async () => {
    const closed = join(base(), "closed");
    await mkdir(closed, { mode: 0o700 });
    const folder = join(closed, "data");
    const first = await start(folder);
    const cluster = await readlink(join(folder, "postgres"));
    onTestFinished(() => rm(cluster, { recursive: true, force: true }));
    expect(cluster).toMatch(/^\/var\/lib\/millrace\/pg-[0-9a-f]{12}$/);
    await write(first.connection, "kept");
    await first.stop();
    const second = await start(folder);
    expect(await rows(second.connection)).toEqual(["kept"]);
    await second.stop();

    const copy = join(closed, "copy");
    await cp(folder, copy, { recursive: true, verbatimSymlinks: true });
    await expect(start(copy)).rejects.toThrow("was moved or copied");
  });

  test("copies binaries from a private folder to one where the account can run them", async () => {
    const account = await unprivilegedAccount();
    const found = await findBinaries();
    const closed = join(base(), "closed");
    await mkdir(closed, { mode: 0o700 });
    const native = join(closed, "native");
    expect(spawnSync("cp", ["-a", found.root, native]).status).toBe(0);
    const cache = join(base(), "cache");

    for (const _ of ["staged", "found again"]) {
      const { root } = await prepareBinaries({ ...found, root: native }, account, cache);
      expect(dirname(root)).toBe(cache);
      const { stdout } = spawnSync(join(root, "bin", "postgres"), ["--version"], {
        ...account,
        cwd: "/",
        encoding: "utf8",
      });
      expect(stdout).toContain(`PostgreSQL) ${found.majorVersion}.`);
    }
    expect(await readdir(cache)).toHaveLength(1);
  });

  test("an ordinary user starts a folder, and root later runs it as that user", async (context) => {
    const sources = [import.meta.dirname, dirname(process.execPath)];
    for (const path of sources) if (!(await canAccess(NOBODY, path))) context.skip();
    const folder = join(base(), "data");
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, NOBODY.uid, NOBODY.gid);
    await chmod(folder, 0o755);

    const child = runChild(folder, NOBODY);
    const { connection } = await outcome(child);
    await write(connection!, "by nobody");
    expect((await stat(join(folder, "postgres"))).uid).toBe(NOBODY.uid);
    child.kill("SIGTERM");
    expect(await comesTrue(() => !existsSync(join(folder, "owner")), 60_000)).toBe(true);

    const database = await start(folder);
    expect(await rows(database.connection)).toEqual(["by nobody"]);
  });
});
