import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings, SETTING_NAMES, unknownSettings } from "./settings.ts";

test("has the documented defaults without configuration", () => {
  expect(readSettings({})).toMatchObject({
    port: 8080,
    host: "127.0.0.1",
    databaseUrl: undefined,
    adminEmail: "admin@example.com",
    role: "all",
    outboundAllow: [],
    rateLimit: 60_000,
    loginRateLimit: 10,
  });
});

test("reports all invalid settings together with the expected values", () => {
  const bad = {
    PORT: "70000",
    DATABASE_URL: "mysql://x",
    MILLRACE_ADMIN_EMAIL: "nobody",
    MILLRACE_ADMIN_PASSWORD: "short",
    MILLRACE_MASTER_KEY: "AAAA",
    MILLRACE_BASE_URL: "ftp://x",
    MILLRACE_ROLE: "boss",
    MILLRACE_OUTBOUND_ALLOW: "10.0.0.0/99",
    MILLRACE_OUTBOUND_CA: "/no/such/file",
    MILLRACE_TRUST_PROXY: "everyone",
    MILLRACE_RATE_LIMIT: "-1",
    MILLRACE_LOG_LEVEL: "loud",
  };
  for (const name of Object.keys(bad)) {
    expect(() => readSettings(bad)).toThrow(new RegExp(`${name}: \\S`));
  }
  expect(() => readSettings(bad)).not.toThrow(/AAAA|short/);
});

test("reports a misspelt setting", () => {
  const env = { MILLRACE_ROLL: "api", MILLRACE_ROLE: "api", MILLRACE_PRT: "1", PATH: "" };
  const told = [
    "MILLRACE_ROLL is not a setting; did you mean MILLRACE_ROLE?",
    "MILLRACE_PRT is not a setting; did you mean PORT?",
  ];
  expect(unknownSettings(env)).toEqual(told);
  expect(unknownSettings({ MILLRACE_SOMETHING_ELSE: "1" })).toEqual([
    "MILLRACE_SOMETHING_ELSE is not a setting",
  ]);
  for (const line of told) expect(() => readSettings({ ...env, PORT: "abc" })).toThrow(line);
});

test("the guide lists exactly the existing settings", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/guide/operate.md"), "utf8");
  const [, section = ""] = page.split("\n## ");
  const rows = section.split("\n").filter((row) => row.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)]);
  expect(named.map(([, name]) => name).toSorted()).toEqual(SETTING_NAMES.toSorted());
});
