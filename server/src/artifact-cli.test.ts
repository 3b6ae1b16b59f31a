import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { Terminal } from "./cli/testing/terminal.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const url = await world.app.listen({ host: "127.0.0.1", port: 0 });
const root: string = mkdtempSync(join(tmpdir(), "millrace-cli-"));
/** In a separate folder, so that files written outside of it are detected. */
const home = join(root, "home");
mkdirSync(home);
const terminal = await Terminal.open(home, { MILLRACE_PASSWORD: TEST_PASSWORD });
const millrace = (...args: string[]) => terminal.run(args);
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

test("covers sign-in to a tested artifact, without overwriting changes by others", async () => {
  expect(await millrace("whoami")).toMatchObject({ code: 1, err: expect.stringMatching(/log/) });
  const login = await terminal.start(["login", "--url", url, "--email", "admin@example.com"]);
  expect(login.err).toBe("");
  const kept = join(home, "config/millrace/credentials.json");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect((await millrace("whoami")).out).toMatch(/admin@example\.com/);

  const { body } = await owner("POST /api/flowsdk/artifacts", {
    name: "Add up",
    moduleKey: "maths",
    artifactType: "workflow_node",
    detail: { scriptSource: "return { sum: input.a + input.b };" },
  });
  const path = `/api/flowsdk/artifacts/${body.data.id}`;
  await owner(`POST ${path}/test-cases`, {
    name: "adds",
    inputPayload: { a: 1, b: 2 },
    expected: { sum: 3 },
  });
  expect((await millrace("artifacts", "pull")).out).toBe("pulled artifacts/maths/Add-up\n");
  const source = join(home, "artifacts/maths/Add-up.ts");
  expect(readFileSync(source, "utf8")).toBe("return { sum: input.a + input.b };");
  expect((await millrace("artifacts", "test")).out).toMatch(/1 passed, 0 failed/);

  writeFileSync(source, "return { sum: input.a - input.b };");
  expect((await millrace("artifacts", "push", "--dry-run")).out).toMatch(/Add-up: updated/);
  expect((await owner(`GET ${path}`)).body.data.versionNumber).toBe(1);
  expect((await millrace("artifacts", "push")).out).toMatch(/Add-up: updated/);
  expect((await owner(`GET ${path}`)).body.data.versionNumber).toBe(2);
  const failed = await millrace("artifacts", "test");
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/\/sum: expected 3, got -1/);

  await owner(`PATCH ${path}`, { description: "Somebody else was here" });
  writeFileSync(source, "return { sum: 1 * (input.a + input.b) };");
  const conflict = await millrace("artifacts", "push");
  expect([conflict.code, conflict.out]).toEqual([
    1,
    expect.stringMatching(/changed on the server/),
  ]);
  expect((await millrace("artifacts", "push", "--force")).code).toBe(0);
  expect((await millrace("artifacts", "push")).out).toMatch(/unchanged/);

  const like = {
    artifactType: "data_transformer",
    moduleKey: "maths",
    detail: { scriptSource: "return 0;" },
  };
  const twin = await owner("POST /api/flowsdk/artifacts", { ...like, name: "Add (up)" });
  const { id } = twin.body.data;
  const pulled = ["pulled artifacts/maths/Add-up", `pulled artifacts/maths/Add-up-${id}`];
  const { out } = await millrace("artifacts", "pull");
  expect(out.trim().split("\n").toSorted()).toEqual(pulled);
  expect(readFileSync(source, "utf8")).toContain("1 * (input.a");
  await owner(`DELETE /api/flowsdk/artifacts/${id}`);
  for (const ending of ["ts", "json"]) rmSync(join(home, `artifacts/maths/Add-up-${id}.${ending}`));

  writeFileSync(source, "return {");
  const refused = await millrace("artifacts", "push", "--json");
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.out)).toMatchObject([{ what: "refused" }]);
  expect(await terminal.start(["artifacts", "sing"])).toMatchObject({ code: 2 });

  writeFileSync(join(home, "artifacts/maths/orphan.ts"), "return { sum: 0 };");
  const orphan = await millrace("artifacts", "push");
  expect([orphan.code, orphan.out]).toEqual([
    1,
    expect.stringMatching(
      /orphan\.ts: refused\n {2}it has no card file\. .* artifacts new orphan$/m,
    ),
  ]);
  expect((await millrace("artifacts", "new", "orphan", "--module", "maths")).code).toBe(0);
  expect((await millrace("artifacts", "new", "fresh", "--module", "maths")).code).toBe(0);
  expect((await millrace("artifacts", "push")).out).toMatch(/fresh: created\n.*orphan: created/);
  expect((await millrace("artifacts", "test")).out).toMatch(/orphan: no test cases/);
});

test("rejects a module whose name leads outside the folder, and writes nothing there", async () => {
  const { body } = await owner("POST /api/flowsdk/artifacts", {
    name: "Escape",
    moduleKey: "outside",
    artifactType: "workflow_node",
    detail: { scriptSource: "return {};" },
  });
  const { id } = body.data;
  // The API rejects such a name, so this simulates an untrusted server.
  await world.sql("update artifacts set module_key = '../../outside' where id = $1", [id]);
  const pulled = await millrace("artifacts", "pull");
  expect([pulled.code, pulled.err]).toEqual([
    1,
    expect.stringContaining("is outside of artifacts"),
  ]);
  expect(readdirSync(root)).toEqual(["home"]);
  await world.sql("update artifacts set module_key = 'outside' where id = $1", [id]);
  // A user's program in the folder that is not an artifact stays unchanged.
  const own = join(home, "artifacts/outside/Escape.js");
  mkdirSync(join(home, "artifacts/outside"));
  writeFileSync(own, "console.log(1);");
  const { out } = await millrace("artifacts", "pull");
  expect(out).toContain(`pulled artifacts/outside/Escape-${id}`);
  expect(readFileSync(own, "utf8")).toBe("console.log(1);");
  rmSync(join(home, "artifacts/outside"), { recursive: true });
  await owner(`DELETE /api/flowsdk/artifacts/${id}`);
});

test("dev pushes changes in the folder until it is stopped", async () => {
  const folder = join(home, "fresh");
  mkdirSync(join(folder, "new"), { recursive: true });
  const card = {
    name: "newcomer",
    moduleKey: "new",
    artifactType: "workflow_node",
    status: "draft",
    description: "",
    detail: {},
  };
  writeFileSync(join(folder, "new/newcomer.json"), JSON.stringify(card));
  writeFileSync(join(folder, "new/newcomer.ts"), "return 1;");
  const dev = terminal.spawn(["artifacts", "dev", "--folder", folder]);
  const there = async () =>
    (await owner("GET /api/flowsdk/artifacts?moduleKey=new")).body.data[0]?.versionNumber;
  await until(async () => (await there()) === 1);
  writeFileSync(join(folder, "new/newcomer.ts"), "return 2;");
  await until(async () => (await there()) === 2);
  dev.child.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
});

test("a workspace is pulled to a folder and applied again: the plan shows the differences, and is empty afterwards", async () => {
  await millrace("login", "--url", url, "--email", "admin@example.com");
  await owner("POST /api/v1/queries", { name: "Everyone", sql: "select 1 as n" });
  const pulled = await millrace("pull", "--folder", "code", "--kinds", "queries,roles,workflows");
  expect(pulled).toMatchObject({
    code: 0,
    out: expect.stringContaining("code/queries/Everyone.yaml"),
  });
  expect(await millrace("plan", "--folder", "code")).toMatchObject({
    code: 0,
    out: "No changes.\n",
  });
  const file = join(home, "code/queries/Everyone.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("select 1 as n", "select 2 as n"));
  mkdirSync(join(home, "code/workflows"), { recursive: true });
  writeFileSync(
    join(home, "code/workflows/greet.ts"),
    `export default {
      key: "Greet",
      definition: { name: "Greet", trigger: { type: "manual" }, nodes: [], edges: [] },
    };`,
  );
  const planned = await millrace("plan", "--folder", "code");
  expect(planned.code).toBe(2);
  expect(planned.out.split("\n")).toEqual([
    "~ update queries/Everyone",
    '    ~ sql: "select 1 as n" -> "select 2 as n"',
    "+ create workflows/Greet",
    "2 to change.",
    "",
  ]);
  expect((await millrace("apply", "--folder", "code")).code).toBe(0);
  expect((await millrace("plan", "--folder", "code")).code).toBe(0);
  rmSync(join(home, "code/workflows/greet.ts"));
  expect((await millrace("plan", "--folder", "code")).out).toBe(
    "? missing workflows/Greet: The item was removed from the folder.\n" +
      "No changes. 1 not in the folder (--prune deletes them on the server).\n",
  );
  expect((await millrace("plan", "--folder", "code", "--prune")).out).toBe(
    "- remove workflows/Greet\n1 to change.\n",
  );
  // Names come from other users: a plan shows control characters, and a file is never written elsewhere.
  const outside = join(home, "outside.yaml");
  writeFileSync(outside, "mine");
  rmSync(file);
  symlinkSync(outside, file);
  for (const name of ["../../outside", "CON", "con", "sly\u202Etxet"]) {
    expect((await owner("POST /api/v1/queries", { name, sql: "select 1 as n" })).status).toBe(201);
  }
  expect((await millrace("pull", "--folder", "code", "--kinds", "queries")).code).toBe(0);
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect(readdirSync(join(home, "code/queries")).toSorted()).toEqual([
    "Everyone.yaml",
    "_CON.yaml",
    "_con-2.yaml",
    "outside.yaml",
    "sly-txet.yaml",
  ]);
  rmSync(join(home, "code/queries"), { recursive: true });
  symlinkSync(home, join(home, "code/queries"));
  expect((await millrace("pull", "--folder", "code", "--kinds", "queries")).code).toBe(1);
  rmSync(join(home, "code/queries"));
  mkdirSync(join(home, "code/queries"));
  writeFileSync(file, "name: [");
  expect(await millrace("plan", "--folder", "code")).toMatchObject({ code: 1, out: "" });
});
