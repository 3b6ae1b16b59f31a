import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { Terminal } from "./cli/testing/terminal.ts";

const ROOT = join(import.meta.dirname, "../..");
// Without semantic search, because embedding the pack content took three seconds.
const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const url = await world.app.listen({ host: "127.0.0.1", port: 0 });
const home: string = mkdtempSync(join(tmpdir(), "millrace-code-"));
const folder = join(home, "desk");
const terminal = await Terminal.open(home, { MILLRACE_PASSWORD: TEST_PASSWORD });
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const millrace = (...args: string[]) => terminal.run(args);
const inFolder = (...args: string[]) => millrace(...args, "--folder", folder);
const edit = (file: string, change: (text: string) => string): void => {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
};

const make = async (path: string, input: object): Promise<any> => {
  const { status, body } = await owner(`POST /api/v1/${path}`, input);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};
await make("secrets", { name: "SHOP_TOKEN", value: "s3cret-of-the-shop" });
await make("tables", {
  slug: "orders",
  name: "Orders",
  columns: [
    { name: "number", type: "text", required: true },
    { name: "total", type: "decimal" },
    { name: "state", type: "enum", options: { values: ["open", "paid"] } },
  ],
});
await make("sdk/artifacts", {
  name: "price",
  moduleKey: "shop",
  artifactType: "workflow_node",
  status: "active",
  detail: {
    scriptSource: "return { net: input.gross / 2 };",
    inputs: { gross: { type: "number", required: true } },
    outputs: { net: { type: "number", required: true } },
  },
});
const { id: connectorId } = await make("connectors", {
  name: "Billing",
  type: "http",
  config: { baseUrl: "https://billing.example.com" },
  auth: { kind: "bearer", token: "{{secrets.SHOP_TOKEN}}" },
});
await make("workflows", {
  name: "Order",
  trigger: { type: "manual" },
  nodes: [
    { id: "read", type: "records", config: { operation: "list", table: "orders" } },
    { id: "large", type: "condition", config: { expression: "$count(steps.read.output) > 100" } },
    {
      id: "bill",
      type: "connector",
      config: { connectorId, action: "request", input: { method: "GET", path: "/bills" } },
    },
    { id: "sum", type: "set", config: { values: { hello: "Hello {{ trigger.input.name }}" } } },
  ],
  edges: [
    { from: "read", to: "large" },
    { from: "large", to: "bill", when: "true" },
    { from: "large", to: "sum", when: "false" },
  ],
});
// Like the console creates them: a tile with its own report, and a policy with a shared calendar.
await make("analytics/dashboards", {
  name: "Sales",
  widgets: [{ title: "Orders", report: { source: { kind: "records", table: "orders" } } }],
  filters: [{ field: "state", label: "State" }],
  period: { from: "$now-30d" },
});
const { id: calendarId } = await make("itsm/calendars", {
  name: "Office hours",
  timezone: "Europe/Berlin",
  hours: [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }],
  holidays: ["2026-12-25"],
});
await make("itsm/sla-policies", {
  name: "Office hours only",
  entity: "incident",
  targets: [{ metric: "response", minutes: 60 }],
  calendarId,
});
for (const packKey of ["core_baseline_pack", "itsm_baseline_pack"]) {
  expect((await owner("POST /api/v1/sdk/install-packs", { packKey })).status).toBe(201);
}
await terminal.start(["login", "--url", url, "--email", "admin@example.com"]);

const TYPED = `import { defineWorkflow, secret, template } from "@millrace/client/workflow";

export default defineWorkflow({ name: "Typed", trigger: { type: "manual" } }, (w) => {
  const orders = w.step("orders", "records", { operation: "list", table: "orders" });
  const price = w.step("price", "shop.price", { gross: orders.output[0].total });
  const bill = w.step("bill", "connector", {
    connectorId: "pack:connectors/Billing",
    action: "request",
    input: { method: "GET", path: template\`/bills/\${orders.output[0].number}\` },
  });
  const large = w.step("large", "condition", { expression: price.output.net });
  const rows = w.forEach(
    "rows",
    "records",
    { forEach: { items: orders.output, as: "order" } },
    (order) => ({ operation: "update", table: "orders", id: order.id, data: { state: "paid" } }),
  );
  w.step("told", "set", { values: { number: rows.output[0].number, token: secret("SHOP_TOKEN") } });
  w.chain(orders, price, bill, large);
  w.edge(large, rows, "true");
  // @ts-expect-error The table has no such column.
  void orders.output[0].colour;
  // @ts-expect-error The artifact gives no such field.
  void price.output.gross;
  // @ts-expect-error A number is wanted, and this is a text.
  w.step("e1", "shop.price", { gross: orders.output[0].number });
  // @ts-expect-error There is no such field in the configuration.
  w.step("e2", "http", { url: "https://example.com", verb: "GET" });
  // @ts-expect-error There is no such type of node.
  w.step("e3", "teleport");
  // @ts-expect-error There is no such table.
  w.step("e4", "records", { operation: "list", table: "invoices" });
  // @ts-expect-error The table has no such column to write.
  w.step("e5", "records", { operation: "create", table: "orders", data: { colour: "red" } });
  // @ts-expect-error The connector does not have this action.
  w.step("e6", "connector", { connectorId: "pack:connectors/Billing", action: "fly" });
  // @ts-expect-error A condition has two branches.
  w.edge(large, rows, "perhaps");
  // @ts-expect-error There is no such secret.
  void secret("OTHER");
  // @ts-expect-error What the step before gave has no such field.
  void w.step("e7", "set", { values: { a: 1 } }).output.b;
});
`;

test("exports workflows as equivalent TypeScript, with types that detect wrong fields", async () => {
  const pulled = await inFolder("pull", "--format", "ts");
  expect(pulled).toMatchObject({ code: 0, out: expect.stringContaining("millrace.d.ts") });
  const source = readFileSync(join(folder, "workflows/Order.ts"), "utf8");
  expect(source).toContain('connectorId: "pack:connectors/Billing"');
  expect(source).toContain("hello: template`Hello ${w.trigger.input.name}`");
  expect(JSON.stringify(readFileSync(join(folder, "connectors/Billing.yaml"), "utf8"))).toContain(
    "{{secrets.SHOP_TOKEN}}",
  );
  expect(await inFolder("plan")).toMatchObject({ code: 0, out: "No changes.\n" });
  const scope = join(folder, "node_modules/@millrace");
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(ROOT, "client"), join(scope, "client"));
  writeFileSync(join(folder, "typed.ts"), TYPED);
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
    lib: ["esnext", "dom"],
  };
  const include = ["millrace.d.ts", "typed.ts", "workflows"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  expect(await terminal.execute(tsc, ["-p", folder])).toMatchObject({ code: 0, out: "" });
});

test("records a run with one command, and tests a folder against it before applying", async () => {
  expect(await inFolder("test")).toMatchObject({ code: 2 });
  expect((await millrace("workflows", "publish", "Order")).code).toBe(0);
  const ran = await millrace("workflows", "run", "Order", "--input", '{"name":"Ada"}', "--follow");
  expect([ran.code, ran.out.trim().split("\n").at(-1)]).toEqual([
    0,
    expect.stringMatching(/^run_\w+ completed$/),
  ]);
  expect(ran.out).toContain("sum completed");
  const [runId = ""] = /run_\w+/.exec(ran.out) ?? [];
  expect((await millrace("runs", "list", "Order")).out).toContain(`${runId}  completed`);
  const shown = await millrace("runs", "show", runId);
  expect([shown.code, shown.out]).toEqual([
    0,
    expect.stringMatching(/sum completed[\s\S]*completed\n$/),
  ]);
  const logs = await millrace("runs", "logs", runId, "--json");
  expect(JSON.parse(logs.out).map(({ id }: any) => id)).toContain("sum");
  expect(await millrace("runs", "show", "run_nothing")).toMatchObject({ code: 1 });
  const fixture = await inFolder("fixture", runId, "--name", "ada");
  expect(fixture.out).toBe(`recorded ${join(folder, "fixtures/Order/ada.json")}\n`);
  writeFileSync(
    join(folder, "artifacts/shop-price.test.yaml"),
    "- name: halves\n  inputPayload: { gross: 4 }\n  expected: { net: 2 }\n",
  );
  const passed = {
    code: 0,
    out: "✓ workflows/Order: ada\n✓ artifacts/shop/price: halves\n2 passed, 0 failed\n",
  };
  expect(await inFolder("test", "--server")).toMatchObject(passed);
  // Without a session: no server is called.
  const nobody = { XDG_CONFIG_HOME: join(home, "nobody") };
  expect(await terminal.start(["test", "--folder", folder], nobody)).toMatchObject(passed);
  edit("workflows/Order.ts", (text) => text.replace("template`Hello", "template`Bye"));
  edit("artifacts/shop-price.yaml", (text) => text.replace("input.gross / 2", "input.gross / 4"));
  const junit = join(home, "junit.xml");
  const failed = await inFolder("test", "--junit", junit);
  expect([
    failed.code,
    failed.out.split("\n").filter((line: string) => !line.includes(folder)),
  ]).toEqual([
    1,
    [
      "✗ workflows/Order: ada",
      "    A step returns or sends different data.",
      "    sum output /hello:",
      '      - recorded "Hello Ada"',
      '      + now      "Bye Ada"',
      "✗ artifacts/shop/price: halves",
      "    /net: expected 2, got 1",
      "0 passed, 2 failed",
      "",
    ],
  ]);
  expect(readFileSync(junit, "utf8")).toMatch(/tests="2" failures="2"[\s\S]*name="halves"/);
  expect((await inFolder("test", "Order", "--update")).out).toContain("ada (updated)");
  expect((await inFolder("test", "Order", "--json")).code).toBe(0);
  // Only for single steps: locally and on a server.
  expect(await inFolder("fixture", runId, "--name", "ada", "--steps", "nothing")).toMatchObject({
    code: 2,
    err: expect.stringContaining("The run has no step nothing"),
  });
  await inFolder("fixture", runId, "--name", "ada", "--steps", "sum");
  const file = join(folder, "fixtures/Order/ada.json");
  const { expect: wanted } = JSON.parse(readFileSync(file, "utf8"));
  expect(wanted.steps).toEqual({
    sum: { output: expect.objectContaining({ hello: "Hello Ada" }) },
  });
  for (const where of [[], ["--server"]]) {
    const { code, out } = await inFolder("test", "Order", ...where);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/sum output:\n +- expected .*Hello Ada/),
    ]);
  }
  expect((await inFolder("test", "Order", "--update")).out).toContain("ada (updated)");
  expect(JSON.parse(readFileSync(file, "utf8")).expect.steps.sum.output.hello).toBe("Bye Ada");
  for (const where of [[], ["--server"]]) {
    expect((await inFolder("test", "Order", ...where)).code).toBe(0);
  }
});

test("dev applies each save to development and reports problems with file and path", async () => {
  const place = join(home, "loop");
  mkdirSync(join(place, "tables"), { recursive: true });
  const file = join(place, "tables/notes.yaml");
  const table = (name: string, type: string): string =>
    `slug: notes\nname: ${name}\ncolumns:\n  - { name: text, type: ${type} }\n`;
  writeFileSync(file, table("First", "text"));
  const dev = terminal.spawn(["dev", "--folder", place]);
  await until(async () => dev.out().includes("+ create tables/notes"));
  writeFileSync(file, table("First", "colour"));
  await until(async () => dev.out().includes(`${file}: /columns/0/type: `));
  writeFileSync(file, table("Second", "text"));
  await until(async () => dev.out().includes('~ name: "First" -> "Second"'));
  dev.child.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
  const names = await Promise.all(
    ["development", "production"].map(async (where) => {
      const { body } = await owner("GET /api/v1/tables/notes", undefined, {
        "x-environment": where,
      });
      return body.data?.name;
    }),
  );
  expect(names).toEqual(["Second", undefined]);
});

test("shows users' edits against the folder, and promotes the folder to another environment", async () => {
  expect((await inFolder("apply")).code).toBe(0);
  const { body } = await owner("GET /api/v1/connectors?q=Billing");
  const path = `/api/v1/connectors/${body.data[0].id}`;
  await owner(`PATCH ${path}`, { config: { baseUrl: "https://other.example.com" } });
  const drift = await inFolder("plan");
  expect([drift.code, drift.out.split("\n")]).toEqual([
    2,
    [
      "! kept connectors/Billing: The item was edited in the workspace.",
      '    ~ config.baseUrl: "https://other.example.com" -> "https://billing.example.com"',
      "0 to change, 1 in conflict (--force overwrites).",
      "",
    ],
  ]);
  await owner(`PATCH ${path}`, { config: { baseUrl: "https://billing.example.com" } });
  expect((await inFolder("plan", "--environment", "staging")).out).toContain(
    "+ create tables/orders",
  );
  expect((await inFolder("apply", "--environment", "staging")).code).toBe(0);
  const there = await owner("GET /api/v1/tables/orders", undefined, { "x-environment": "staging" });
  expect(there.status).toBe(200);
  // Another installation or workspace accepts the same folder once it has the secrets.
  const next = await world.member(["owner"], await world.workspace("next"));
  await next("POST /api/v1/secrets", { name: "SHOP_TOKEN", value: "another" });
  const { body: me } = await next("GET /api/v1/auth/me");
  const { body: token } = await next("POST /api/v1/auth/tokens", {
    name: "ci",
    scopes: me.data.permissions,
    expiresIn: null,
  });
  const env = { MILLRACE_TOKEN: token.data.token, MILLRACE_WORKSPACE: "next" };
  const args = ["apply", "--folder", folder];
  expect(await terminal.run(args, env)).toMatchObject({ code: 0, err: "" });
  expect(await terminal.run(["plan", "--folder", folder], env)).toMatchObject({
    code: 0,
    out: "No changes.\n",
  });
});

test("follows events of a type from the newest on until stopped", async () => {
  const publish = (type: string) =>
    make("events/topics/followed/publish", { type, payload: {} }).then(({ id }) => String(id));
  const first = await publish("followed.one");
  const args = ["events", "followed", "--type", "followed.one", "--follow", "--json"];
  const follow = terminal.spawn(args);
  await until(async () => follow.out().includes(first));
  const [other, second] = [await publish("followed.other"), await publish("followed.one")];
  await until(async () => follow.out().includes(second));
  follow.child.kill("SIGTERM");
  expect(await follow.ended).toBe(0);
  const ids = follow
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect(ids).toEqual([first, second]);
  expect(follow.out()).not.toContain(other);
});

test("reads records, SQL, events and packs", async () => {
  const made = await millrace(
    "records",
    "create",
    "orders",
    "--input",
    '{"number":"A1","total":5}',
  );
  expect(made.code).toBe(0);
  const { id } = JSON.parse(made.out);
  expect((await millrace("sql", "select number, total from orders")).out).toBe(
    "number  total\nA1      5\n",
  );
  expect((await millrace("events", "--type", "record.created")).out).toContain(" record.created ");
  expect((await millrace("packs", "list")).out).toContain("core_baseline_pack");
  const pack = join(home, "hello.yaml");
  writeFileSync(pack, "id: hello_pack\nname: Hello\nversion: 1.0.0\n");
  const installed = await millrace("packs", "install", pack);
  expect([installed.code, installed.out]).toEqual([0, "installed hello_pack 1.0.0\n"]);
  const packs = JSON.parse((await millrace("packs", "list", "--json")).out);
  const { id: packId } = packs.find(({ packKey }: any) => packKey === "hello_pack");
  expect((await millrace("packs", "remove", packId)).out).toBe(`removed ${packId}\n`);
  expect((await millrace("packs", "list")).out).not.toContain("hello_pack");
  writeFileSync(pack, "id: [");
  expect(await millrace("packs", "install", pack)).toMatchObject({ code: 1 });
  expect((await millrace("records", "delete", "orders", id)).code).toBe(0);
  expect(JSON.parse((await millrace("records", "list", "orders", "--json")).out)).toEqual([]);
  expect(await terminal.start(["records", "list"])).toMatchObject({ code: 2, out: "" });
  expect(existsSync(join(home, "config/millrace/credentials.json"))).toBe(true);
});
