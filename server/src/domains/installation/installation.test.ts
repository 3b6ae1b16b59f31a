import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { LogTail } from "#kernel/monitor/log-tail.ts";
import { listSettings } from "#kernel/settings.ts";
import { builtServer } from "../../process/testing/built-server.ts";
import { confirmAddress, failedJob, madeBackup, operator } from "./testing/operator.ts";

const world = await useWorld({ work: true, env: { MILLRACE_BUNDLE: builtServer() } });
const TABLE = { name: "Orders", columns: [{ name: "title", type: "text" }] };
const runner = await operator(world);
const owner = await world.member(["owner"]);

test("only appointed users are operators, and removal takes effect immediately", async () => {
  const refused = await owner("GET /api/v1/installation");
  expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } });
  const email = `${owner.userId}@example.com`;
  // Anyone who invites its address can create an account in advance.
  const ahead = await runner("POST /api/v1/installation/operators", { email });
  expect(ahead).toMatchObject({ status: 422, body: { errors: [{ path: "/email" }] }, events: [] });
  await confirmAddress(world, owner.userId);
  const added = await runner("POST /api/v1/installation/operators", { email });
  expect(added).toMatchObject({ status: 201, events: ["audit.operator.granted"] });
  expect((await runner("POST /api/v1/installation/operators", { email })).events).toEqual([]);
  expect((await owner("GET /api/v1/installation")).status).toBe(200);
  expect((await owner("GET /api/v1/auth/me")).body.data.isOperator).toBe(true);
  // An operator's token is limited to its workspace.
  const token = await owner("POST /api/v1/auth/tokens", {
    name: "mine",
    expiresIn: "90d",
    scopes: ["audit:read"],
  });
  const byToken = world.asToken(token.body.data.token as string);
  expect((await byToken("GET /api/v1/installation")).status).toBe(403);
  const removed = await runner(`DELETE /api/v1/installation/operators/${owner.userId}`);
  expect(removed).toMatchObject({ status: 204, events: ["audit.operator.revoked"] });
  expect((await owner("GET /api/v1/installation")).status).toBe(403);
});

test("the last operator cannot be removed", async () => {
  const { body } = await runner("GET /api/v1/installation/operators");
  const all = (body.data.operators as { userId: string }[]).map(({ userId }) => userId);
  const others = all.filter((id) => id !== runner.userId);
  await world.sql("delete from operators where user_id = any($1)", [others]);
  const answer = await runner(`DELETE /api/v1/installation/operators/${runner.userId}`);
  expect(answer).toMatchObject({ status: 409, body: { code: "last_operator" } });
});

test("in maintenance users can read, operators can change, and everyone sees the message", async () => {
  const message = "A larger disk until 22:00.";
  const begun = await runner("PUT /api/v1/installation/maintenance", { enabled: true, message });
  expect(begun.events).toEqual(["audit.maintenance.started"]);
  await until(async () => (await owner("GET /api/v1/auth/me")).body.data.maintenance !== null);
  const refused = await owner("POST /api/v1/tables", TABLE);
  expect(refused).toMatchObject({ status: 503, body: { code: "maintenance", detail: message } });
  expect(refused.headers["retry-after"]).toBe("60");
  expect((await owner("GET /api/v1/tables")).status).toBe(200);
  const login = await world.stranger("POST /api/v1/auth/token", {
    email: "nobody@example.com",
    password: "whatever it is",
  });
  expect(login.status).toBe(401);
  const ended = await runner("PUT /api/v1/installation/maintenance", { enabled: false });
  expect(ended.events).toEqual(["audit.maintenance.ended"]);
  await until(async () => (await owner("GET /api/v1/auth/me")).body.data.maintenance === null);
  expect((await owner("POST /api/v1/tables", TABLE)).status).toBe(201);
});

test("a failed job can be retried or deleted", async () => {
  const [retried, discarded] = [await failedJob(world), await failedJob(world)];
  const { body } = await runner("GET /api/v1/installation/failed-jobs");
  expect(body.data.jobs).toContainEqual(
    expect.objectContaining({ id: retried, kind: "mail.send", workspace: "default" }),
  );
  const again = await runner(`POST /api/v1/installation/failed-jobs/${retried}/retry`);
  expect(again).toMatchObject({ status: 204, events: ["audit.job.retried"] });
  expect((await runner(`POST /api/v1/installation/failed-jobs/${retried}/retry`)).status).toBe(404);
  const gone = await runner(`DELETE /api/v1/installation/failed-jobs/${discarded}`);
  expect(gone).toMatchObject({ status: 204, events: ["audit.job.discarded"] });
});

test("a failed backup reports its error once, and another can be requested", async () => {
  // The jobs of these backups failed and were deleted.
  const [stuck, unverified] = [await madeBackup(world), await madeBackup(world)];
  await world.sql("update backups set status = 'running' where id = $1", [stuck]);
  await world.sql("update backups set verification = 'running' where id = $1", [unverified]);
  const { body: found } = await runner("GET /api/v1/installation/backups");
  expect(found.data.backups).toMatchObject([
    { id: unverified, status: "made", verification: null },
    { id: stuck, status: "failed" },
  ]);
  const gone = await runner(`DELETE /api/v1/installation/backups/${unverified}`);
  expect(gone).toMatchObject({ status: 202, events: ["audit.backup.deleted"] });
  const asked = await runner("POST /api/v1/installation/backups");
  expect(asked).toMatchObject({ status: 202, events: ["audit.backup.requested"] });
  expect((await runner("POST /api/v1/installation/backups")).body.code).toBe("backup_running");
  // The world's database is not in its data folder.
  const [failed] = await until(async () => {
    const { body } = await runner("GET /api/v1/installation/backups");
    return (
      body.data.backups[0].status === "failed" &&
      (body.data.backups as { error: string; file: string }[])
    );
  });
  expect(failed?.error).toContain("does not contain a database");
  expect(existsSync(join(world.kernel.settings.dataDir, "backups", failed?.file ?? ""))).toBe(
    false,
  );
});

test("the status of the installation lists problems", async () => {
  await failedJob(world);
  const { body } = await runner("GET /api/v1/installation");
  const status = Object.fromEntries(
    (body.data.health as { name: string; status: string }[]).map((one) => [one.name, one.status]),
  );
  expect(status).toMatchObject({ jobs: "warning", dead_letters: "ok", mail: "warning" });
  expect(body.data.migrations.last.name).toMatch(/^\d{4}_/);
  const { data: work } = (await runner("GET /api/v1/installation/work")).body;
  expect(work.readers.length).toBeGreaterThan(5);
  const { data: storage } = (await runner("GET /api/v1/installation/storage")).body;
  const home = storage.workspaces.find(({ slug }: { slug: string }) => slug === "default");
  expect(home.tableBytes).toBeGreaterThan(0);
  const { data: loads } = (await runner("GET /api/v1/installation/operations")).body;
  expect(loads.operations).toContainEqual(
    expect.objectContaining({ operation: "installation.read" }),
  );
});

test("shows settings without their secrets", () => {
  const settings = listSettings({
    MILLRACE_SMTP_URL: "smtp://me:hunter2@mail.example.com",
    MILLRACE_RATE_LIMIT: "7",
  });
  const byName = new Map(settings.map((one) => [one.name, one]));
  expect(byName.get("MILLRACE_SMTP_URL")).toMatchObject({ isSet: true, value: null });
  expect(byName.get("MILLRACE_RATE_LIMIT")).toMatchObject({ isSet: true, value: "7" });
  expect(byName.get("MILLRACE_ROLE")).toMatchObject({ isSet: false, value: "all" });
  expect(JSON.stringify(settings)).not.toContain("hunter2");
});

test("the log tail is bounded and can be read from a position", () => {
  const tail = new LogTail();
  for (let n = 1; n <= 1_500; n += 1) {
    tail.push(`${JSON.stringify({ level: n % 100 === 0 ? 50 : 30, time: n, msg: `line ${n}` })}\n`);
  }
  tail.push(`{"level":50,"msg":"${"x".repeat(10_000)}"}\n`);
  const all = tail.read({ limit: 10_000 });
  expect(all.length).toBe(1_000);
  expect(all[0]?.message).toBe("line 502");
  expect(tail.read({ level: "error", limit: 2 }).map(({ position }) => position)).toEqual([
    1_400, 1_500,
  ]);
  expect(tail.read({ after: 1_499, limit: 10 }).map(({ position }) => position)).toEqual([
    1_500, 1_501,
  ]);
});
