import { inProduction, secretUser } from "#kernel/testing/secret-user.ts";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { MasterKey } from "#kernel/access/crypto.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { findRunning } from "#kernel/embedded/running-cluster.ts";
import { Kernel } from "#kernel/kernel.ts";
import { readSettings } from "#kernel/settings.ts";
import { until } from "#kernel/testing/world.ts";
import { domains } from "../app.ts";
import { startedBefore } from "../process/testing/started-before.ts";
import {
  type Ask,
  asker,
  dataFolder,
  launch,
  logIn,
  stop,
  useProducts,
} from "../process/testing/product.ts";
import { millrace, useMillrace } from "./testing/millrace.ts";

useProducts();
const command = useMillrace();

const HERE = { "x-workspace": "default" };
const VALUE = "planted 0f8fad5b";

/** A second workspace, so that there are two keys to wrap again. */
async function furnish(ask: Ask): Promise<void> {
  expect((await ask("POST /api/v1/workspaces", { name: "Second", slug: "second" })).status).toBe(
    201,
  );
  for (const slug of ["default", "second"]) {
    const body = { name: "PLANTED", value: `${VALUE} of ${slug}` };
    const { status } = await ask("POST /api/v1/secrets", body, {
      "x-workspace": slug,
      "idempotency-key": "plant",
    });
    expect(status).toBe(201);
  }
}

/** The secrets of the data folder opened with this master key, next to the running product. */
async function secretsUnder(key: Buffer): Promise<string[]> {
  const { connection } = await findRunning(dataFolder());
  const masterKey = new MasterKey(key);
  const kernel = await Kernel.open({
    database: await prepareDatabase(connection, masterKey),
    settings: readSettings({}),
    masterKey,
    domains,
    log: pino({ level: "silent" }),
  });
  try {
    const rows = await kernel.db.system<{ key: string }>(
      "select key from workspaces order by slug",
    );
    const read = rows.map(({ key: workspace }) =>
      kernel.secrets.read(inProduction(workspace), ["PLANTED"], secretUser),
    );
    return (await Promise.all(read)).map(({ values }) => values.get("PLANTED") ?? "");
  } finally {
    await kernel.close();
  }
}

test("prints the usage without a command and for an unknown one", async () => {
  const usage = await millrace([]);
  expect(usage.code).toBe(0);
  expect(usage.said).toContain("rekey");
  expect(usage.said).toContain("reset-password <email>");
  const wrong = [
    ["dance"],
    ["backup", "--verify", "--with-key", "a"],
    ["rekey", "now"],
    ["reset-password"],
    ["reset-password", "a", "b"],
    ["backup"],
    ["restore", "a", "--data-folder", "b"],
  ];
  for (const args of wrong) expect(await command(args)).toEqual({ code: 2, said: usage.said });
});

test("creates nothing without an installation", async () => {
  for (const args of [["rekey"], ["reset-password", "admin@example.com"]]) {
    const env = { MILLRACE_NEW_MASTER_KEY: randomBytes(32).toString("base64") };
    const { code, said } = await command(args, env);
    expect(code).toBe(1);
    expect(said).toMatch(/MILLRACE_MASTER_KEY|does not contain a database/);
    expect(said).not.toContain("at ");
  }
  expect(() => statSync(dataFolder())).toThrow("ENOENT");
});

test("rekey moves everything to the new key and invalidates the old one; reset-password sets a new password next to the running server, ends sessions and is audited; release-sso lets the account sign in with it", async () => {
  startedBefore();
  const before = launch();
  const addressBefore = await before.ready;
  const token = await logIn(addressBefore);
  await furnish(asker(addressBefore, token));
  const file = join(dataFolder(), "master.key");
  const oldKey = readFileSync(file, "utf8");
  const newKey = randomBytes(32);
  const env = { MILLRACE_NEW_MASTER_KEY: newKey.toString("base64") };

  const busy = await command(["rekey"], env);
  expect(busy.code).toBe(1);
  expect(busy.said).toContain(`is in use by process ${before.pid}`);
  await stop(before);

  const faults = [
    [
      { ...env, MILLRACE_MASTER_KEY: randomBytes(32).toString("base64") },
      "The current master key does not match",
    ],
    [{}, "Set MILLRACE_NEW_MASTER_KEY to the new key"],
    [{ MILLRACE_NEW_MASTER_KEY: "short" }, "MILLRACE_NEW_MASTER_KEY: 32 bytes in base64"],
  ] as const;
  for (const [given, complaint] of faults) {
    const refused = await command(["rekey"], given);
    expect(refused.code).toBe(1);
    expect(refused.said).toContain(complaint);
  }
  expect(readFileSync(file, "utf8")).toBe(oldKey);

  const done = await millrace(["rekey"], env);
  expect(done.said).toContain("all workspaces (2)");
  expect(done.code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(newKey.toString("base64"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataFolder())).not.toContain("master.key.next");

  const product = launch();
  const address = await product.ready;
  // A start with the old key fails in the same way.
  await expect(secretsUnder(Buffer.from(oldKey, "base64"))).rejects.toThrow(
    "The master key does not match",
  );
  expect(await secretsUnder(newKey)).toEqual([`${VALUE} of default`, `${VALUE} of second`]);
  const ask = asker(address, token);
  // The response was sealed with the workspace's key before.
  const replayed = await ask(
    "POST /api/v1/secrets",
    { name: "PLANTED", value: `${VALUE} of second` },
    { "x-workspace": "second", "idempotency-key": "plant" },
  );
  expect(replayed.status).toBe(201);
  expect(replayed.headers.get("idempotency-replayed")).toBe("true");
  expect((await ask("GET /api/v1/secrets/PLANTED", undefined, HERE)).status).toBe(200);
  expect(product.lines.join("\n")).not.toContain(VALUE);
  await assertReset(address, token);
});

/** The account of the token's session gets a new password and can sign in with it. */
async function assertReset(address: string, token: string): Promise<void> {
  const draft = { name: "t", expiresIn: null, scopes: ["workspaces:read"] };
  const made = await asker(address, token)("POST /api/v1/auth/tokens", draft, HERE);
  const nobody = await command(["reset-password", "nobody@example.com"]);
  expect(nobody).toMatchObject({
    code: 1,
    said: expect.stringContaining(
      "The account with the e-mail address nobody@example.com does not exist",
    ),
  });
  const { code, said } = await millrace(["reset-password", "Admin@Example.com", "--revoke-all"]);
  expect(code).toBe(0);
  const password = /shown only once: (\S{20})$/m.exec(said)?.[1];
  expect(password).toBeDefined();

  const ask = asker(address);
  await until(async () => (await asker(address, token)("GET /api/v1/auth/me")).status === 401);
  const robot = asker(address, made.body.data.token);
  const asRobot = () => robot("GET /api/v1/workspaces/me", undefined, HERE);
  await until(async () => (await asRobot()).status === 401);
  await expect(logIn(address)).rejects.toThrow("401");
  const login = await ask("POST /api/v1/auth/token", { email: "admin@example.com", password });
  expect(login.status).toBe(200);
  for (const slug of ["default", "second"]) {
    const { body } = await asker(address, login.body.data.token)(
      "GET /api/v1/audit?type=audit.auth.password_reset",
      undefined,
      { "x-workspace": slug },
    );
    expect(body.data).toMatchObject([
      {
        actor: { type: "system" },
        resource: { type: "user", id: login.body.data.user.id },
        data: { userId: login.body.data.user.id, email: "admin@example.com" },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(password);
  }
  // Users cannot sign in through an identity provider that no longer exists.
  const sso = {
    protocol: "oidc",
    issuer: "https://gone.example.com",
    clientId: "millrace",
    clientSecret: "never shown",
    enforceSSO: true,
  };
  const owner = asker(address, login.body.data.token);
  expect((await owner("POST /api/v1/settings/sso", sso, HERE)).status).toBe(200);
  const credentials = { email: "admin@example.com", password };
  expect((await ask("POST /api/v1/auth/token", credentials)).status).toBe(403);
  const released = await command(["release-sso", "default"]);
  expect(released).toMatchObject({
    code: 0,
    said: expect.stringContaining("with passwords again"),
  });
  expect((await ask("POST /api/v1/auth/token", credentials)).status).toBe(200);
  const again = await command(["release-sso", "default"]);
  expect(again.said).toContain("The workspace default does not require");
}
