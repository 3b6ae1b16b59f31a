import { inProduction, secretUser } from "#kernel/testing/secret-user.ts";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { MasterKey } from "#kernel/access/crypto.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { roleNames } from "#kernel/db/setup/roles.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { Kernel } from "#kernel/kernel.ts";
import { TEST_KEY_TEXT } from "#kernel/testing/database.ts";
import { takeDatabase } from "#kernel/testing/database-copy.ts";
import { readSettings } from "#kernel/settings.ts";
import { domains } from "../app.ts";
import { firstStart } from "../first-start.ts";
import { dataFolder, useProducts } from "../process/testing/product.ts";
import { useMillrace } from "./testing/millrace.ts";

useProducts();
const millrace = useMillrace();

const base64 = (key: Buffer): string => key.toString("base64");
/** The key of a database that the product used before. */
const OLD_KEY = Buffer.from(TEST_KEY_TEXT, "base64");
let name: string;

beforeEach(async () => {
  name = await takeDatabase();
});
afterEach(async () => {
  const roles = Object.values(roleNames(name));
  await withOwnerClient(inject("database").owner, async (client) => {
    await client.query(`drop database ${name} with (force)`);
    await client.query(`drop role if exists ${roles.join(", ")}`);
  });
});

function url(): string {
  const { user, password, host, port } = inject("database").owner;
  const secret = typeof password === "string" ? password : "";
  return `postgres://${user}:${encodeURIComponent(secret)}@${encodeURIComponent(host ?? "localhost")}:${port}/${name}`;
}

/** A node of the product on this database. */
async function open(key: Buffer): Promise<Kernel> {
  const masterKey = new MasterKey(key);
  const kernel = await Kernel.open({
    database: await prepareDatabase({ ...inject("database").owner, database: name }, masterKey),
    settings: readSettings({ MILLRACE_ADMIN_PASSWORD: "correct horse battery" }),
    masterKey,
    domains,
    log: pino({ level: "silent" }),
  });
  await firstStart(kernel);
  return kernel;
}

const onServer: typeof millrace = (args, env) => millrace(args, { DATABASE_URL: url(), ...env });

test("does not touch a database that is not ours", async () => {
  await withOwnerClient(inject("database").owner, async (client) => {
    await client.query(`drop database ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  const env = {
    MILLRACE_MASTER_KEY: base64(randomBytes(32)),
    MILLRACE_NEW_MASTER_KEY: base64(randomBytes(32)),
  };
  for (const args of [["rekey"], ["reset-password", "admin@example.com"]]) {
    const { code, said } = await onServer(args, env);
    expect(code).toBe(1);
    expect(said).toContain("does not belong to Millrace yet");
  }
});

test("rekey on a server database is rejected while it is in use, otherwise succeeds and can be repeated", async () => {
  const [oldKey, newKey] = [OLD_KEY, randomBytes(32)];
  const env = {
    MILLRACE_MASTER_KEY: base64(oldKey),
    MILLRACE_NEW_MASTER_KEY: base64(newKey),
  };
  const before = await open(oldKey);
  const sealed = await before.secrets.seal(
    { workspace: before.homeWorkspace, name: "X" },
    "a value",
  );
  const busy = await onServer(["rekey"], env);
  expect(busy.code).toBe(1);
  expect(busy.said).toContain("Stop all its processes");
  await before.close();

  const done = await onServer(["rekey"], env);
  expect(done.said).toContain("all workspaces (1)");
  expect(done.said).toContain("MILLRACE_MASTER_KEY set to the new key");
  expect(done.code).toBe(0);
  await expect(open(oldKey)).rejects.toThrow("The master key does not match");

  const after = await open(newKey);
  try {
    await withOwnerClient({ ...inject("database").owner, database: name }, (client) =>
      client.query(
        "insert into secrets (workspace_id, name, description, sealed, created_at, updated_at) values ($1, 'X', '', $2, now(), now())",
        [after.homeWorkspace, sealed],
      ),
    );
    const { values } = await after.secrets.read(
      inProduction(after.homeWorkspace),
      ["X"],
      secretUser,
    );
    expect(values.get("X")).toBe("a value");
  } finally {
    await after.close();
  }
  const again = await onServer(["rekey"], env);
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining("already") });
});

test("repeating a rekey that was killed after its commit completes it", async () => {
  const [oldKey, newKey] = [OLD_KEY, randomBytes(32)];
  await (await open(oldKey)).close();
  mkdirSync(dataFolder());
  const file = join(dataFolder(), "master.key");
  writeFileSync(file, base64(oldKey), { mode: 0o600 });
  const env = { MILLRACE_NEW_MASTER_KEY: base64(newKey) };
  expect((await onServer(["rekey"], env)).code).toBe(0);
  // The state after the kill: the database has the new key, the file the old one.
  writeFileSync(file, base64(oldKey));
  writeFileSync(`${file}.next`, base64(newKey));
  expect(await onServer(["rekey"], env)).toMatchObject({
    code: 0,
    said: expect.stringContaining("already"),
  });
  expect(readFileSync(file, "utf8")).toBe(base64(newKey));
});

test("reset-password on a server database works next to a running node, whose caches are invalidated", async () => {
  const key = OLD_KEY;
  const node = await open(key);
  try {
    const heard = new Promise<void>((resolve) => {
      node.commitFeed.subscribe(["audit"], ({ type }) => {
        if (type === "audit.auth.password_reset") resolve();
      });
    });
    const { code, said } = await onServer(["reset-password", "admin@example.com"], {
      MILLRACE_MASTER_KEY: base64(key),
    });
    expect(said).toContain("shown only once");
    expect(code).toBe(0);
    await heard;
  } finally {
    await node.close();
  }
});

test("pooler-users prints PostgreSQL's stored verifiers for a pooler", async () => {
  const key = OLD_KEY;
  await (await open(key)).close();
  const { code, said } = await onServer(["pooler-users"], { MILLRACE_MASTER_KEY: base64(key) });
  const { app, system, sql } = roleNames(name);
  const { rows } = await withOwnerClient(inject("database").owner, (client) =>
    client.query<{ line: string }>(
      `select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid
        where rolname = any($1) order by array_position($1::text[], rolname::text)`,
      [[app, system, sql]],
    ),
  );
  expect([code, said.trim().split("\n")]).toEqual([0, rows.map(({ line }) => line)]);
});
