import { spawnSync } from "node:child_process";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { isRoot } from "../account.ts";
import {
  type EmbeddedConnection,
  type EmbeddedDatabase,
  startEmbedded,
} from "../embedded-database.ts";
import { fastFolder } from "../../testing/fast-folder.ts";
import { IS_THOROUGH } from "../../testing/thorough.ts";
import { until } from "../../testing/world.ts";
import { findRunning } from "../running-cluster.ts";
import { base, query, start, useFolders } from "../testing/cluster.ts";
import { startBackup } from "./base-backup.ts";
import { restoreBackup } from "./restore.ts";
import { checkBackup, writeBackup } from "./archive.ts";

const WRITES_BEFORE = 100;
/** Between two writes: all that is written while a backup is made is a part of it. */
const WRITE_PAUSE_MS = 2;
/** Longer than the zeros at the end of a segment of the WAL. */
const FLIP_WINDOW_BYTES = 20 * 1024 ** 2;
/** Of tar, whose headers have a word in one of them. */
const BLOCK_BYTES = 512;
const MAGIC_AT = 257;
const OBJECT = join("files", "0190aaaa-0000-7000-8000-000000000000", "ab", "blb_ab");

useFolders();

/** A database that runs, the folder of its backups, and how much was written when each of them was done. */
const source: { database?: EmbeddedDatabase; folder: string } = { folder: "" };
const acknowledged = new Map<string, number>();
const backupOf = (name: string): string => join(source.folder, name);

beforeAll(async () => {
  source.folder = await realpath(await mkdtemp(join(fastFolder(), "millrace-backup-")));
  // The account that runs PostgreSQL for root must be able to pass.
  await chmod(source.folder, 0o755);
  const folder = join(source.folder, "data");
  source.database = await startEmbedded({ folder, settings: { fsync: "off" }, log: () => {} });
  await mkdir(join(folder, OBJECT, ".."), { recursive: true });
  await writeFile(join(folder, OBJECT), "what is in a file");
  const writer = startWriter(source.database.connection);
  await writer.reached(WRITES_BEFORE);
  for (const name of ["backup.tar.gz", "backup", "backup.tar"]) {
    await writeBackup(backupOf(name), startBackup(await findRunning(folder), { withKey: false }));
    // Its end is past, so that this is more than it must have, by what was written since.
    acknowledged.set(name, writer.count());
  }
  await writer.stop();
});
afterAll(async () => {
  await source.database?.stop();
  await rm(source.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

test("a backup under writes has everything that was committed before its end, and the contents of files", async () => {
  const [slots] = await query(
    source.database!.connection,
    "select count(*) from pg_replication_slots",
  );
  expect(slots).toEqual({ count: "0" });

  let least = WRITES_BEFORE;
  for (const [n, name] of ["backup.tar.gz", "backup"].entries()) {
    const path = backupOf(name);
    const into = join(base(), `restored-${n}`);
    const { hasKey } = await restoreBackup(path, into);
    expect(hasKey).toBe(false);
    const restored = await start(into);
    const found = await check(restored);
    expect(found).toBeGreaterThanOrEqual(least);
    expect(found).toBeLessThanOrEqual((acknowledged.get(name) ?? 0) + 1);
    least = found;
    expect(await readFile(join(into, OBJECT), "utf8")).toBe("what is in a file");
    expect((await readdir(into)).filter((left) => left.includes("restore-"))).toEqual([]);
    await query(restored.connection, "insert into kept values (-1)");
    await restored.stop();
  }
  // It is a cluster like any other now.
  const again = await start(join(base(), "restored-0"));
  expect(await timelineOf(again)).toBe("00000002");
});

test("any tar can list and unpack it, and it belongs to its owner alone", async () => {
  const path = backupOf("backup.tar.gz");
  const { status, stdout } = spawnSync("tar", ["-tzf", path], { encoding: "utf8" });
  expect(status).toBe(0);
  const names = stdout.trim().split("\n");
  expect(names[0]).toBe("postgres.password");
  expect(names.at(-1)).toBe("manifest.json");
  expect(names).toContain("postgres/backup_label");
  expect(names.filter((name) => /postmaster|replslot|master\.key/.test(name))).toEqual([]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a damaged backup is rejected with a reason, and leaves nothing behind", async () => {
  const tar = backupOf("backup.tar");
  await checkBackup(tar);
  const damages: [string, RegExp, (path: string) => Promise<unknown>][] = [
    ["header.tar", /not an archive of ours/, (path) => flip(path, 0)],
    ["text.tar", /ends too early|not an archive/, (path) => writeFile(path, "a text")],
    ["flipped.tar", /is not as it was/, (path) => flip(path, 0.5)],
    ["cut.tar", /ends too early/, async (path) => truncate(path, (await stat(path)).size / 2)],
    ["manifest.tar", /manifest\.json is not as it was/, (path) => flip(path, 0.999)],
  ];
  for (const [name, words, harm] of IS_THOROUGH ? damages : damages.slice(0, 3)) {
    const path = join(base(), name);
    await copyFile(tar, path);
    await harm(path);
    await expect(checkBackup(path)).rejects.toThrow(words);
  }
  const into = join(base(), "into");
  await expect(restoreBackup(join(base(), "flipped.tar"), into)).rejects.toThrow("is damaged");
  expect(await readdir(into)).toEqual([]);
  const zipped = join(base(), "cut.tar.gz");
  expect(spawnSync("sh", ["-c", `gzip -1 < ${tar} | head -c 200000 > ${zipped}`]).status).toBe(0);
  await expect(checkBackup(zipped)).rejects.toThrow(/does not unpack|ends too early/);
  await expect(checkBackup(join(base(), "nowhere.tar"))).rejects.toThrow("There is no backup");
});

test("a folder that lacks a file, or has one too many, is rejected", async () => {
  const folder = join(base(), "backup");
  expect(spawnSync("cp", ["-a", backupOf("backup"), folder]).status).toBe(0);
  const damages: [string, RegExp][] = [
    ["postgres/PG_VERSION", /postgres\/PG_VERSION is missing/],
    ["manifest.json", /no manifest\.json/],
    ["postgres.password", /postgres\.password is missing/],
  ];
  for (const [name, words] of IS_THOROUGH ? damages : damages.slice(0, 1)) {
    await rename(join(folder, name), join(base(), "aside"));
    await expect(checkBackup(folder)).rejects.toThrow(words);
    await rename(join(base(), "aside"), join(folder, name));
  }
  await writeFile(join(folder, "postgres/more"), "");
  await expect(checkBackup(folder)).rejects.toThrow("postgres/more is not in its manifest");
});

test.runIf(isRoot())(
  "root restores into a folder that is closed to others, or leaves nothing there",
  async () => {
    const path = join(base(), "backup.tar");
    await copyFile(backupOf("backup.tar"), path);
    const closed = join(base(), "closed");
    await mkdir(closed, { mode: 0o700 });
    const { cluster } = await restoreBackup(path, join(closed, "data"));
    onTestFinished(() => rm(cluster, { recursive: true, force: true }));
    expect(await readlink(join(closed, "data", "postgres"))).toBe(cluster);
    const restored = await start(join(closed, "data"));
    expect(await timelineOf(restored)).toBe("00000002");
    await truncate(path, 1_000_000);
    await expect(restoreBackup(path, join(closed, "other"))).rejects.toThrow("ends too early");
    expect(await readdir(join(closed, "other"))).toEqual([]);
  },
);

test("nothing is overwritten: neither by a backup nor by a restore", async () => {
  const path = backupOf("backup.tar");
  const data = join(source.folder, "data");
  const { ino, size, mtimeMs } = await stat(path);
  const running = await findRunning(data);
  await expect(writeBackup(path, startBackup(running, { withKey: false }))).rejects.toThrow(
    "exists already",
  );
  expect(await stat(path)).toMatchObject({ ino, size, mtimeMs });
  await expect(restoreBackup(path, data)).rejects.toThrow("is in use by");
  await writeFile(join(base(), "beside"), "");
  await expect(restoreBackup(path, base())).rejects.toThrow("is not empty");
  expect(await readdir(base())).toEqual(["beside"]);
  const names = ["backup", "backup.tar", "backup.tar.gz", "data"];
  expect((await readdir(source.folder)).toSorted()).toEqual(names);
});

/**
 * Changes a byte of a content at this share of the file, or behind it: the headers say what is wrong in other words.
 */
async function flip(path: string, share: number): Promise<void> {
  await using file = await open(path, "r+");
  const at = Math.floor((share * (await file.stat()).size) / BLOCK_BYTES) * BLOCK_BYTES;
  const window = Buffer.alloc(FLIP_WINDOW_BYTES);
  await file.read(window, 0, window.length, at);
  const isHeader = (block: number): boolean =>
    at > 0 && window.toString("latin1", block + MAGIC_AT, block + MAGIC_AT + 5) === "ustar";
  const beyond = window.findIndex(
    (byte, place) => byte !== 0 && !isHeader(place - (place % BLOCK_BYTES)),
  );
  expect(beyond).toBeGreaterThanOrEqual(0);
  await file.write(Buffer.of((window[beyond] ?? 0) ^ 1), 0, 1, at + beyond);
}

/** The rows are those from 1 on without a gap, and so is what was made of each of them. */
async function check({ connection }: EmbeddedDatabase): Promise<number> {
  const [found] = await query(
    connection,
    "select count(*)::int, max(n) as last, sum(length(body))::int as length from kept",
  );
  const { count, last, length } = found as { count: number; last: number; length: number };
  expect([last, length]).toEqual([count, count * 3_000]);
  return count;
}

async function timelineOf({ connection }: EmbeddedDatabase): Promise<unknown> {
  const [row] = await query(
    connection,
    "select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline",
  );
  return Reflect.get(row ?? {}, "timeline");
}

/** Somebody who writes one row after another, and makes and drops a table now and then. */
function startWriter(connection: EmbeddedConnection) {
  let [count, ending] = [0, false];
  const done = (async () => {
    const client = new Client(connection);
    await client.connect();
    await client.query("create table kept (n int primary key, body text)");
    while (!ending) {
      await client.query("insert into kept values ($1, repeat('abc', 1000))", [count + 1]);
      count += 1;
      await pause(WRITE_PAUSE_MS);
      if (count % 10 === 0) {
        await client.query(
          "create table passing as select * from kept limit 50; drop table passing",
        );
      }
    }
    await client.end();
  })();
  return {
    count: () => count,
    reached: async (least: number): Promise<void> => {
      await Promise.race([done, until(async () => count >= least)]);
    },
    stop: async (): Promise<void> => {
      ending = true;
      await done;
    },
  };
}
