import { spawnSync } from "node:child_process";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
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
import { base, query, start, startedBefore, useFolders } from "../testing/cluster.ts";
import { textEntry } from "./backup-entry.ts";
import { startBackup } from "./base-backup.ts";
import { withManifest } from "./manifest.ts";
import { restoreBackup } from "./restore.ts";
import { checkBackup, writeBackup } from "./archive.ts";

const WRITES_BEFORE = 100;
/** The pause between writes. Rows written during a backup become part of it. */
const WRITE_PAUSE_MS = 2;
const FORMS = ["backup.tar.gz", "backup"];
const OBJECT = join("files", "0190aaaa-0000-7000-8000-000000000000", "ab", "blb_ab");

useFolders();

/** A running database, the folder of its backups, and the number of rows written at the end of each backup. */
const source: { database?: EmbeddedDatabase; folder: string } = { folder: "" };
const acknowledged = new Map<string, number>();
const backupOf = (name: string): string => join(source.folder, name);

beforeAll(async () => {
  source.folder = await realpath(await mkdtemp(join(fastFolder(), "millrace-backup-")));
  // The account that runs PostgreSQL for root must be able to enter.
  await chmod(source.folder, 0o755);
  const folder = await startedBefore(source.folder);
  source.database = await startEmbedded({ folder, settings: { fsync: "off" }, log: () => {} });
  await mkdir(join(folder, OBJECT, ".."), { recursive: true });
  await writeFile(join(folder, OBJECT), "what is in a file");
  const writer = startWriter(source.database.connection);
  await writer.reached(WRITES_BEFORE);
  for (const name of FORMS) {
    await writeBackup(backupOf(name), startBackup(await findRunning(folder), { withKey: false }));
    // The backup has ended before this count, so the count can exceed the rows it must contain.
    acknowledged.set(name, writer.count());
  }
  await writer.stop();
});
afterAll(async () => {
  await source.database?.stop();
  await rm(source.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

test("a backup during writes contains all commits before its end, and the file contents", async () => {
  const [slots] = await query(
    source.database!.connection,
    "select count(*) from pg_replication_slots",
  );
  expect(slots).toEqual({ count: "0" });

  let least = WRITES_BEFORE;
  // As root, another test restores the second backup into a private folder.
  for (const [n, name] of FORMS.slice(0, isRoot() && !IS_THOROUGH ? 1 : 2).entries()) {
    const into = join(base(), `restored-${n}`);
    const { hasKey } = await restoreBackup(backupOf(name), into);
    expect(hasKey).toBe(false);
    const restored = await start(into);
    least = await check(restored, name, least);
    expect(await readFile(join(into, OBJECT), "utf8")).toBe("what is in a file");
    expect((await readdir(into)).filter((left) => left.includes("restore-"))).toEqual([]);
    await query(restored.connection, "insert into kept values (-1)");
    await restored.stop();
  }
  // After the first start, it is a normal cluster.
  const again = await start(join(base(), "restored-0"));
  expect(await timelineOf(again)).toBe("00000002");
});

test("any tar can list and unpack a backup, and only its owner can read it", async () => {
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

test("rejects a damaged backup with the reason, and leaves no files", async () => {
  const tar = join(base(), "small.tar");
  await writeSmall(tar);
  await checkBackup(tar);
  const damages: [string, RegExp, (path: string) => Promise<unknown>][] = [
    ["header.tar", /not a Millrace archive/, (path) => flip(path, "postgres.password")],
    ["text.tar", /is truncated|not a Millrace archive/, (path) => writeFile(path, "a text")],
    ["flipped.tar", /has changed since the backup/, (path) => flip(path, "the row 4321.")],
    ["cut.tar", /is truncated/, async (path) => truncate(path, (await stat(path)).size / 2)],
    [
      "manifest.tar",
      /manifest\.json has changed since the backup/,
      (path) => flip(path, "completeUpTo"),
    ],
  ];
  for (const [name, words, harm] of damages) {
    const path = join(base(), name);
    await copyFile(tar, path);
    await harm(path);
    await expect(checkBackup(path)).rejects.toThrow(words);
  }
  const into = join(base(), "into");
  await expect(restoreBackup(join(base(), "flipped.tar"), into)).rejects.toThrow("is damaged");
  expect(await readdir(into)).toEqual([]);
  const zipped = join(base(), "cut.tar.gz");
  await writeSmall(zipped);
  await truncate(zipped, Math.floor((await stat(zipped)).size / 2));
  await expect(checkBackup(zipped)).rejects.toThrow(/can't be unpacked|is truncated/);
  await expect(checkBackup(join(base(), "nowhere.tar"))).rejects.toThrow("does not exist");
});

test("rejects a folder with a missing or an additional file", async () => {
  const folder = join(base(), "backup");
  await writeSmall(folder);
  await checkBackup(folder);
  const damages: [string, RegExp][] = [
    ["postgres/PG_VERSION", /postgres\/PG_VERSION is missing/],
    ["manifest.json", /manifest\.json is missing/],
    ["postgres.password", /postgres\.password is missing/],
  ];
  for (const [name, words] of damages) {
    await rename(join(folder, name), join(base(), "aside"));
    await expect(checkBackup(folder)).rejects.toThrow(words);
    await rename(join(base(), "aside"), join(folder, name));
  }
  await writeFile(join(folder, "postgres/more"), "");
  await expect(checkBackup(folder)).rejects.toThrow("postgres/more is not listed in the manifest");
  await rm(join(folder, "postgres/more"));
  await symlink(join(base(), "elsewhere"), join(folder, "postgres/linked"));
  await expect(checkBackup(folder)).rejects.toThrow("linked is a link");
});

test.runIf(isRoot())("root restores into a private folder, or leaves no files there", async () => {
  const closed = join(base(), "closed");
  await mkdir(closed, { mode: 0o700 });
  const { cluster } = await restoreBackup(backupOf("backup"), join(closed, "data"));
  onTestFinished(() => rm(cluster, { recursive: true, force: true }));
  expect(await readlink(join(closed, "data", "postgres"))).toBe(cluster);
  const restored = await start(join(closed, "data"));
  expect(await timelineOf(restored)).toBe("00000002");
  await check(restored, "backup", WRITES_BEFORE);
  expect(await readFile(join(closed, "data", OBJECT), "utf8")).toBe("what is in a file");
  const path = join(base(), "cut.tar");
  await writeSmall(path);
  await truncate(path, (await stat(path)).size / 2);
  await expect(restoreBackup(path, join(closed, "other"))).rejects.toThrow("is truncated");
  expect(await readdir(join(closed, "other"))).toEqual([]);
});

test("neither backup nor restore overwrites existing files", async () => {
  const path = backupOf("backup.tar.gz");
  const data = join(source.folder, "data");
  const { ino, size, mtimeMs } = await stat(path);
  const running = await findRunning(data);
  await expect(writeBackup(path, startBackup(running, { withKey: false }))).rejects.toThrow(
    "already exists",
  );
  expect(await stat(path)).toMatchObject({ ino, size, mtimeMs });
  await expect(restoreBackup(path, data)).rejects.toThrow("is in use by");
  await writeFile(join(base(), "beside"), "");
  await expect(restoreBackup(path, base())).rejects.toThrow("is not empty");
  expect(await readdir(base())).toEqual(["beside"]);
  const names = ["backup", "backup.tar.gz", "data"];
  expect((await readdir(source.folder)).toSorted()).toEqual(names);
});

/** A backup of few files for restores that are never started. Checks of its files apply to all files. */
async function writeSmall(path: string): Promise<void> {
  const texts = {
    "postgres.password": "a password",
    "postgres/PG_VERSION": "18",
    "postgres/base/1/1259": Array.from({ length: 10_000 }, (_, n) => `the row ${n}.`).join(" "),
  };
  const entries = async function* () {
    for (const [name, text] of Object.entries(texts)) yield textEntry(name, text);
  };
  const origin = {
    millrace: "1.0.0",
    postgresql: "18.0",
    platform: "linux",
    startedAt: "",
    completeUpTo: "",
    folders: [],
  };
  await writeBackup(
    path,
    withManifest(entries(), () => origin),
  );
}

/** Changes the first byte of the first occurrence of the words. */
async function flip(path: string, words: string): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.indexOf(words);
  expect(at).toBeGreaterThanOrEqual(0);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
}

/**
 * Checks that the rows and the derived rows are numbered from 1 without gaps. Returns their count, which must
 * be between the counts at the start and at the end of the backup.
 */
async function check(
  { connection }: EmbeddedDatabase,
  backup: string,
  least: number,
): Promise<number> {
  const [found] = await query(
    connection,
    "select count(*)::int, max(n) as last, sum(length(body))::int as length from kept",
  );
  const { count, last, length } = found as { count: number; last: number; length: number };
  expect([last, length]).toEqual([count, count * 3_000]);
  expect(count).toBeGreaterThanOrEqual(least);
  expect(count).toBeLessThanOrEqual((acknowledged.get(backup) ?? 0) + 1);
  return count;
}

async function timelineOf({ connection }: EmbeddedDatabase): Promise<unknown> {
  const [row] = await query(
    connection,
    "select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline",
  );
  return Reflect.get(row ?? {}, "timeline");
}

/** Writes one row after another, and regularly creates and drops a table. */
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
