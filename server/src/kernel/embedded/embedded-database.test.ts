import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processIdentity } from "./processes.ts";
import {
  base,
  outcome,
  query,
  rows,
  runChild,
  start,
  startedBefore,
  useFolders,
  write,
} from "./testing/cluster.ts";

useFolders();

describe("a data folder", () => {
  test("keeps its rows across starts", async () => {
    const folder = join(base(), "data");
    const first = await start(folder);
    await write(first.connection, "kept");
    await first.stop();
    expect(existsSync(join(folder, "owner"))).toBe(false);
    expect(existsSync(first.connection.host)).toBe(false);

    const second = await start(folder);
    expect(await rows(second.connection)).toEqual(["kept"]);
    expect((await stat(join(folder, "postgres.password"))).mode & 0o777).toBe(0o600);
    expect((await stat(second.connection.host)).mode & 0o777).toBe(0o700);
  });

  test("has checksums, UTF-8 with a builtin locale, UTC, durable commits and no network port", async () => {
    const { connection } = await start(await startedBefore(), { settings: {} });
    const names = ["data_checksums", "server_encoding", "timezone", "fsync", "listen_addresses"];
    const settings = await query(
      connection,
      `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(", ")},
              current_setting('synchronous_commit') AS commits, datlocprovider, datlocale
         FROM pg_database WHERE datname = current_database()`,
    );
    expect(settings).toEqual([
      {
        data_checksums: "on",
        server_encoding: "UTF8",
        timezone: "UTC",
        fsync: "on",
        listen_addresses: "",
        commits: "on",
        datlocprovider: "b",
        datlocale: "C.UTF-8",
      },
    ]);
    await expect(query({ ...connection, password: "wrong" }, "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
  });

  test.runIf(process.platform === "linux")(
    "limits the private memory of each process to one gigabyte",
    async () => {
      const { connection } = await start(await startedBefore());
      const [limits] = await query(
        connection,
        "SELECT pg_read_file(format('/proc/%s/limits', pg_backend_pid())) AS text",
      );
      expect(limits).toMatchObject({ text: expect.stringMatching(/Max data size\s+1073741824\s/) });
    },
  );

  test("rejects a second start without affecting the first", async () => {
    const folder = await startedBefore();
    const first = await start(folder);
    const refusal = await outcome(runChild(folder));
    expect(refusal.failure).toContain(`${folder} is in use by process ${process.pid}`);
    await expect(start(folder)).rejects.toMatchObject({ name: "FolderInUse", pid: process.pid });
    await write(first.connection, "still there");
    expect(await rows(first.connection)).toEqual(["still there"]);
  });

  test("can be taken over with the owner file of an earlier process", async () => {
    const folder = await startedBefore();
    await writeFile(join(folder, "owner"), `${process.ppid} 00000000:1`);
    await start(folder);
    expect(await readFile(join(folder, "owner"), "utf8")).toBe(processIdentity(process.pid));
    expect((await readdir(folder)).toSorted()).toEqual(["owner", "postgres", "postgres.password"]);
  });

  test("is claimed by exactly one of three simultaneous first starts", async () => {
    const folder = join(base(), "data");
    const outcomes = await Promise.all([1, 2, 3].map(() => outcome(runChild(folder))));
    const failures = outcomes.flatMap(({ failure }) => failure ?? []);
    expect(failures).toHaveLength(2);
    for (const failure of failures) expect(failure).toContain("FolderInUse");
  });

  test("rejects another major version by name", async () => {
    const folder = await startedBefore();
    await writeFile(join(folder, "postgres", "PG_VERSION"), "17\n");
    await expect(start(folder)).rejects.toThrow(
      /was written by PostgreSQL 17, .* includes PostgreSQL 18/,
    );
  });

  test("reports the server's error if it does not start, and is released", async () => {
    const folder = await startedBefore();
    await expect(start(folder, { settings: { shared_buffers: "nonsense" } })).rejects.toThrow(
      'invalid value for parameter "shared_buffers"',
    );
    await start(folder);
  });
});
