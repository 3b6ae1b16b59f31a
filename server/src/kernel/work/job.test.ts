import { sql } from "kysely";
import Type from "typebox";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { event } from "../log/event.ts";
import { newId } from "../schema/id.ts";
import { job } from "./job.ts";
import type { JobType } from "../contract.ts";
import { command } from "../operation/operation.ts";
import { noContent } from "../operation/response.ts";
import { object } from "../schema/schema.ts";
import { NotesWrite, notes } from "../testing/notes.ts";
import { until, useWorld } from "../testing/world.ts";

const Payload = Type.Object({ mark: Type.String() });
const Planned = event("work.planned", { resource: "work", summary: "Planned.", data: Payload });
const Done = event("work.done", { resource: "work", summary: "Done.", data: Payload });

const attempts: Record<string, string[]> = {};
const simple = job({
  kind: "test.simple",
  payload: Payload,
  emits: [Done],
  async run(ctx, { mark }) {
    await sql`insert into work_marks (mark) values (${mark})`.execute(ctx.tx);
    ctx.emit(Done, { id: mark }, { mark });
  },
});
const flaky = job({
  kind: "test.flaky",
  payload: Payload,
  retryDelayMs: () => 60_000,
  async effect(_outside, { mark }, attempt) {
    (attempts[mark] ??= []).push(attempt.id);
    if (attempt.number < 3) throw new Error("not yet");
    return attempt.number;
  },
  async run({ tx }, { mark }, result) {
    await sql`insert into work_marks (mark) values (${`${mark} ${result}`})`.execute(tx);
  },
});
const hopeless = job({
  kind: "test.hopeless",
  payload: Payload,
  attemptsMax: 2,
  retryDelayMs: () => 0,
  run: () => Promise.reject(new Error("never")),
});
const hanging = job({
  kind: "test.hanging",
  payload: Payload,
  timeoutMs: 50,
  attemptsMax: 1,
  effect: () => new Promise(() => undefined),
  run: async () => undefined,
});
const gates: Record<string, PromiseWithResolvers<void>> = {};
const gatedJob = (kind: string, timeoutMs: number) =>
  job({
    kind,
    payload: Payload,
    timeoutMs,
    async effect(_outside, { mark }) {
      gates[mark] = Promise.withResolvers();
      await gates[mark].promise;
    },
    async run({ tx }, { mark }) {
      await sql`insert into work_marks (mark) values (${mark})`.execute(tx);
    },
  });
const slow = gatedJob("test.slow", 30_000);
const long = gatedJob("test.long", 4 * 3_600_000);
const recurring = job({
  kind: "test.recurring",
  payload: Type.Object({}),
  everyMs: 3_600_000,
  async run({ tx }) {
    await sql`insert into work_marks (mark) values ('tick')`.execute(tx);
  },
});
const kinds: Record<string, JobType<typeof Payload>> = {
  simple,
  flaky,
  hopeless,
  hanging,
  slow,
  long,
};

const plan = command({
  id: "work.plan",
  route: "POST /api/v1/work",
  summary: "Plan work",
  permission: NotesWrite,
  body: object({
    kind: Type.String(),
    mark: Type.String(),
    inMs: Type.Optional(Type.Integer()),
    key: Type.Optional(Type.String()),
    move: Type.Optional(Type.Boolean()),
    fail: Type.Optional(Type.Boolean()),
  }),
  response: noContent(),
  emits: [Planned],
  async run(ctx, { body: { kind, mark, inMs, key, move, fail } }) {
    ctx.emit(Planned, { id: mark }, { mark });
    ctx.enqueue(
      kinds[kind]!,
      { mark },
      {
        ...(key !== undefined && { key }),
        ...(inMs !== undefined && { dueAt: new Date(ctx.now.getTime() + inMs) }),
        ...(move && { onConflict: "move" as const }),
      },
    );
    if (fail) throw new Error("after all, no");
  },
});

const probe = domain({
  name: "work",
  summary: "",
  permissions: [],
  events: [Planned, Done],
  operations: [plan],
  jobs: [simple, flaky, hopeless, hanging, slow, long, recurring],
});

const world = await useWorld({ domains: [...domains, notes, probe] });
await world.sql(`create table work_marks (mark text);
    grant select, insert on work_marks to millrace_app`);
const agent = await world.member(["owner"]);
await world.kernel.startWork();

const marks = async (like: string) =>
  (await world.sql("select mark from work_marks where mark like $1 order by mark", [like])).map(
    ({ mark }) => mark,
  );
const enqueue = (body: object) => agent("POST /api/v1/work", body);
const pass = (ms: number) => {
  world.clock.advance(ms);
  world.kernel.wakeSignal.raise("jobs");
};

test("runs a job once in the transaction's partition and deletes the job", async () => {
  await enqueue({ kind: "simple", mark: "a" });
  await until(async () => (await marks("a")).length > 0);
  await until(
    async () => (await world.sql("select from jobs where kind = 'test.simple'")).length === 0,
  );
  expect(await marks("a")).toEqual(["a"]);
  const [done] = (await agent("GET /api/v1/audit?type=work.done&resourceId=a")).body.data;
  const [planned] = (await agent("GET /api/v1/audit?type=work.planned&resourceId=a")).body.data;
  expect(done.correlationId).toBe(planned.correlationId);
});

test("a job enqueued in a failed transaction never runs", async () => {
  expect(await enqueue({ kind: "simple", mark: "undone", fail: true })).toMatchObject({
    status: 500,
    events: [],
  });
  expect(await world.sql("select from jobs where payload->>'mark' = 'undone'")).toEqual([]);
});

test("a timer does not run before its due time", async () => {
  await enqueue({ kind: "simple", mark: "b", inMs: 600_000 });
  await enqueue({ kind: "simple", mark: "b-now" });
  await until(async () => (await marks("b-now")).length > 0);
  expect(await marks("b")).toEqual([]);
  pass(600_000);
  await until(async () => (await marks("b")).length > 0);
});

test("retries a failed attempt later with the same id, and its result counts once", async () => {
  await enqueue({ kind: "flaky", mark: "c" });
  for (const tries of [1, 2]) {
    await until(async () => attempts["c"]?.length === tries);
    await until(
      async () =>
        (
          await world.sql(
            "select from jobs where kind = 'test.flaky' and last_error = 'not yet' and attempts = $1",
            [tries],
          )
        ).length === 1,
    );
    pass(60_000);
  }
  await until(async () => (await marks("c 3")).length > 0);
  expect(new Set(attempts["c"]).size).toBe(1);
});

test("marks a job that can't succeed as failed, with its error", async () => {
  await enqueue({ kind: "hopeless", mark: "d" });
  const [row] = await until(async () => {
    const rows = await world.sql(
      "select * from jobs where kind = 'test.hopeless' and failed_at is not null",
    );
    return rows.length > 0 && rows;
  });
  expect(row).toMatchObject({ attempts: 2, last_error: "never" });
});

test("abandons an effect that never ends at its timeout", async () => {
  await enqueue({ kind: "hanging", mark: "e" });
  await until(async () => {
    const rows = await world.sql(
      "select last_error from jobs where kind = 'test.hanging' and failed_at is not null",
    );
    return rows[0]?.last_error === "The attempt took too long.";
  });
});

test("only one job per key waits, and it can be moved", async () => {
  await enqueue({ kind: "simple", mark: "f-1", key: "f", inMs: 600_000 });
  await enqueue({ kind: "simple", mark: "f-2", key: "f", inMs: 1_200_000 });
  const waiting = () => world.sql("select payload->>'mark' as mark from jobs where key = 'f'");
  expect(await waiting()).toEqual([{ mark: "f-1" }]);
  await enqueue({ kind: "simple", mark: "f-3", key: "f", move: true });
  await until(async () => (await marks("f-%")).length > 0);
  expect(await marks("f-%")).toEqual(["f-3"]);
});

test("a job enqueued during execution runs again", async () => {
  await enqueue({ kind: "slow", mark: "h-1", key: "h" });
  await until(async () => gates["h-1"]);
  await enqueue({ kind: "slow", mark: "h-2", key: "h" });
  gates["h-1"]?.resolve();
  await until(async () => gates["h-2"]);
  gates["h-2"]?.resolve();
  await until(async () => (await marks("h-%")).length === 2);
  await until(async () => (await world.sql("select from jobs where key = 'h'")).length === 0);
  expect(await marks("h-%")).toEqual(["h-1", "h-2"]);
});

test("a recurring job takes its turns", async () => {
  await until(async () => (await marks("tick")).length === 1);
  expect(await world.sql("select from jobs where kind = 'test.recurring'")).toHaveLength(1);
  pass(3_600_000);
  await until(async () => (await marks("tick")).length === 2);
});

test("takes over the work of a dead worker when its lease expires", async () => {
  const id = newId("job");
  await world.sql(
    `insert into jobs (id, workspace_id, environment, kind, payload, due_at, attempts, generation,
                       correlation_id, created_at)
     values ($1, $2, 'production', 'test.simple', '{"mark": "g"}', $3, 1, 1, 'cor', now())`,
    [id, world.home, new Date(world.clock.nowMs() + 40_000)],
  );
  expect(await marks("g")).toEqual([]);
  pass(40_000);
  await until(async () => (await marks("g")).length === 1);
});

test("a long attempt renews a short lease, so a crash delays the job by minutes only", async () => {
  await enqueue({ kind: "long", mark: "h" });
  await until(async () => gates["h"]);
  const untilDueMs = async (): Promise<number> => {
    const [row] = await world.sql("select due_at from jobs where kind = 'test.long'");
    return Date.parse(row!["due_at"]) - world.clock.nowMs();
  };
  expect(await untilDueMs()).toBeLessThanOrEqual(130_000);
  for (let hour = 0; hour < 3; hour += 1) {
    pass(3_600_000);
    await until(async () => (await untilDueMs()) > 60_000);
  }
  gates["h"]!.resolve();
  await until(async () => (await marks("h")).length > 0);
  expect(await marks("h")).toEqual(["h"]);
});
