import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { tries } from "../testing/thorough.ts";
import { idleProcesses } from "../testing/world.ts";
import { type Execution, Sandbox } from "./sandbox.ts";
import { processorsOf } from "./script-process.ts";
import { run, scriptProcessesOf } from "./testing/scripts.ts";

const FOREVER = "for (;;);";
/** Each of them ends a process. */
const FLOOD = tries(3, 4);
const PATIENT = { timeout: 60_000 };
/** Reuses processes of earlier test files and leaves them to later ones. */
const kept = { idleProcesses: idleProcesses.scripts };
/** Starting a process can be slow on a busy machine, so most tests share these. */
const wide = new Sandbox({ ...kept, processes: 1, waitMs: 120_000 });
const narrow = new Sandbox({
  ...kept,
  processes: 1,
  processesMax: 1,
  waitingPerOwnerMax: 2,
  waitMs: 120_000,
});
afterAll(() => Promise.all([wide.close(), narrow.close()]));

/** A call whose response the test releases. */
function gate(): {
  readonly call: Execution["call"];
  readonly arrived: () => number;
  open(): void;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const call = async (): Promise<number> => {
    count += 1;
    await promise;
    return count;
  };
  return { call, arrived: () => count, open: resolve };
}

/** Others can end during the test: surplus processes of a pool end after ten seconds. */
const startedSince = (before: readonly number[]): number[] =>
  scriptProcessesOf().filter((pid) => !before.includes(pid));

const WAITING = "return await context.tables.get(1)";

describe("the processes are shared fairly", () => {
  test("many scripts of one owner do not delay another owner", async () => {
    const sandbox = wide;
    const order: string[] = [];
    const limits = { timeoutMs: 300 };
    const flood = Array.from({ length: FLOOD }, async () => {
      const { status } = await run(sandbox, FOREVER, { owner: "flooder", limits });
      order.push(status);
    });
    const light = Array.from({ length: 3 }, async () => {
      await run(sandbox, "return 1", { owner: "light" });
      order.push("light");
    });
    await Promise.all([...flood, ...light]);
    expect(order.filter((end) => end === "timed_out")).toHaveLength(FLOOD);
    expect(order.at(-1)).toBe("timed_out");
  });

  test("waiting scripts do not block others", async () => {
    const sandbox = wide;
    const { call, arrived, open: release } = gate();
    const waiting = Array.from({ length: 4 }, () => run(sandbox, WAITING, { call }));
    // All four called before the first response.
    await expect.poll(arrived, PATIENT).toBe(4);
    expect(await run(sandbox, "return 2")).toMatchObject({ output: 2 });
    release();
    const outcomes = await Promise.all(waiting);
    expect(outcomes.map(({ output }) => output)).toEqual([4, 4, 4, 4]);
  });

  test("an owner with waiting scripts leaves slots to others", async () => {
    const sandbox = new Sandbox({ ...kept, processes: 1, processesMax: 4, waitMs: 120_000 });
    const { call, arrived, open: release } = gate();
    const waiting = Array.from({ length: 5 }, () => run(sandbox, WAITING, { call, owner: "a" }));
    await expect.poll(arrived, PATIENT).toBe(2);
    expect(await run(sandbox, "return 2", { owner: "b" })).toMatchObject({ output: 2 });
    expect(arrived()).toBe(2);
    release();
    await Promise.all(waiting);
    await sandbox.close();
  });

  test("a long-running script yields to others, and its process is not reused", async () => {
    const sandbox = wide;
    const stop = new AbortController();
    const endless = run(sandbox, FOREVER, { signal: stop.signal }).catch((error: unknown) => error);
    const slowed = (): number | undefined =>
      scriptProcessesOf().find((pid) => prioritiesOf(pid).every((nice) => nice === 19));
    await expect.poll(slowed, PATIENT).toBeDefined();
    const pid = slowed() ?? 0;
    const all = processorsOf("self");
    if (all.length > 1 && existsSync("/usr/bin/taskset")) {
      const half = Math.floor(all.length / 2);
      await expect.poll(() => processorsOf(pid).length, PATIENT).toBe(half);
    }
    // It has released its slot, so this one runs at the same time.
    expect(await run(sandbox, "return 2")).toMatchObject({ output: 2 });
    stop.abort(new Error("enough"));
    expect(await endless).toEqual(new Error("enough"));
    await expect.poll(() => existsSync(`/proc/${pid}`), PATIENT).toBe(false);
  });
});

describe("reports a full pool", () => {
  test("immediately if its queue is full", async () => {
    const sandbox = narrow;
    const { call, arrived, open: release } = gate();
    const first = run(sandbox, WAITING, { call });
    await expect.poll(arrived, PATIENT).toBe(1);
    const others = [1, 2, 3, 4].map(() => run(sandbox, "return 1"));
    const settled = Promise.allSettled(others);
    await expect(others[3]).rejects.toMatchObject({ type: { code: "sandbox_busy", status: 503 } });
    release();
    await first;
    expect((await settled).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
  });

  test("after a timeout if no slot becomes free", async () => {
    const sandbox = new Sandbox({ ...kept, processes: 1, processesMax: 1, waitMs: 50 });
    const { call, arrived, open: release } = gate();
    const first = run(sandbox, WAITING, { call });
    await expect.poll(arrived, PATIENT).toBe(1);
    await expect(run(sandbox, "return 1")).rejects.toMatchObject({
      type: { code: "sandbox_busy" },
    });
    release();
    expect(await first).toMatchObject({ status: "completed" });
    await sandbox.close();
  });
});

describe("inspections of saved scripts", () => {
  test("wait longer than runs", async () => {
    const sandbox = new Sandbox({ ...kept, processes: 1, processesMax: 1, waitMs: 1 });
    const { call, arrived, open: release } = gate();
    const first = run(sandbox, WAITING, { call });
    await expect.poll(arrived, PATIENT).toBe(1);
    const saves = Array.from({ length: 20 }, () => sandbox.inspect("return 1"));
    // It is after them in the queue. When it is rejected, they have waited at least as long.
    await expect(run(sandbox, "return 1")).rejects.toMatchObject({
      type: { code: "sandbox_busy" },
    });
    release();
    await first;
    expect((await Promise.all(saves)).map(({ ok }) => ok)).toEqual(saves.map(() => true));
    await sandbox.close();
  });

  test("are rejected with a reason if too many of one owner wait, without affecting other owners", async () => {
    const limits = { processes: 1, processesMax: 1, inspectionsPerOwnerMax: 2 };
    const sandbox = new Sandbox({ ...kept, ...limits });
    const { call, arrived, open: release } = gate();
    const first = run(sandbox, WAITING, { call });
    await expect.poll(arrived, PATIENT).toBe(1);
    const saves = [1, 2].map(() => sandbox.inspect("return 1", "a"));
    await expect(sandbox.inspect("return 1", "a")).rejects.toMatchObject({
      type: { code: "sandbox_busy", status: 503 },
      message: expect.stringContaining("Save fewer scripts at once"),
    });
    const other = sandbox.inspect("return 1", "b");
    release();
    await first;
    const all = await Promise.all([...saves, other]);
    expect(all.map(({ ok }) => ok)).toEqual([true, true, true]);
    await sandbox.close();
  });

  test("wait up to the timeout", async () => {
    const limits = { processes: 1, processesMax: 1, inspectionWaitMs: 50 };
    const sandbox = new Sandbox({ ...kept, ...limits });
    const { call, arrived, open: release } = gate();
    const first = run(sandbox, WAITING, { call });
    await expect.poll(arrived, PATIENT).toBe(1);
    await expect(sandbox.inspect("return 1")).rejects.toMatchObject({
      type: { code: "sandbox_busy" },
    });
    release();
    await first;
    await sandbox.close();
  });
});

describe("an aborted run", () => {
  test.each([
    ["while it waits for its turn", "return 1"],
    ["while it waits for an answer", WAITING],
    ["while it computes", FOREVER],
  ])("is dropped %s, and the others continue", async (_, source) => {
    const sandbox = narrow;
    const { call, arrived, open: release } = gate();
    const reason = new Error("The run was cancelled.");
    const stop = new AbortController();
    if (source === "return 1") {
      const first = run(sandbox, WAITING, { call });
      await expect.poll(arrived, PATIENT).toBe(1);
      const waiting = run(sandbox, source, { signal: stop.signal });
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      release();
      await first;
    } else {
      const signals: AbortSignal[] = [];
      const served: Execution["call"] = async (method, args, signal) => {
        signals.push(signal);
        return call(method, args, signal);
      };
      const entering = source === FOREVER ? `context.tables.get(1); ${FOREVER}` : source;
      const { signal } = stop;
      const running = run(sandbox, entering, { call: served, signal });
      const refused = expect(running).rejects.toBe(reason);
      await expect.poll(arrived, PATIENT).toBe(1);
      stop.abort(reason);
      await refused;
      await expect.poll(() => signals[0]?.aborted, PATIENT).toBe(true);
      release();
    }
    expect(await run(sandbox, "return 2")).toMatchObject({ output: 2 });
  });

  test("is rejected before it starts", async () => {
    const before = scriptProcessesOf();
    const unused = new Sandbox();
    const signal = AbortSignal.abort(new Error("late"));
    await expect(run(unused, "return 1", { signal })).rejects.toThrow("late");
    expect(startedSince(before)).toEqual([]);
  });
});

describe("a stopped script", () => {
  test("has its log, and made no further calls", async () => {
    const sandbox = wide;
    const source = "context.log.info('here'); context.addMessage('info', 'x'); for (;;);";
    const outcome = await run(sandbox, source, { limits: { timeoutMs: 700 }, input: { a: 1 } });
    expect(outcome).toMatchObject({
      status: "timed_out",
      current: { a: 1 },
      output: null,
      error: { name: "TimeoutError", message: "The script was stopped after 700 ms." },
      logs: [{ message: "here" }],
      messages: [{ text: "x" }],
    });
  });

  test("keeps its process for the next run if it was waiting", async () => {
    const sandbox = narrow;
    await run(sandbox, "return 1");
    const before = scriptProcessesOf();
    const { call, open: release } = gate();
    const late = await run(sandbox, WAITING, { call, limits: { timeoutMs: 300 } });
    expect(late).toMatchObject({ status: "timed_out" });
    expect(await run(sandbox, "return 1")).toMatchObject({ status: "completed" });
    expect(startedSince(before)).toEqual([]);
    release();
  });
});

describe("a script process", () => {
  test("contains no server data", async () => {
    await run(wide, "return 1");
    const [pid = 0] = scriptProcessesOf();
    const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    expect(names.map((entry) => entry.split("=")[0]).toSorted()).toEqual([
      "",
      "NODE_CHANNEL_FD",
      "NODE_CHANNEL_SERIALIZATION_MODE",
      "TZ",
    ]);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    const handles = readdirSync(`/proc/${pid}/fd`).map((fd) =>
      readlinkSync(`/proc/${pid}/fd/${fd}`),
    );
    expect(handles.filter((target) => /^\/(?!dev\/null)/.test(target))).toEqual([]);
    expect(getPriority(pid)).toBeGreaterThanOrEqual(3);
  });

  test("ends when the pool is closed, and waiting and running scripts are rejected", async () => {
    const others = scriptProcessesOf();
    const sandbox = new Sandbox({ processes: 1 });
    const { call, arrived } = gate();
    const all = [WAITING, FOREVER, FOREVER, FOREVER].map((source) =>
      run(sandbox, source, { call }),
    );
    const settled = Promise.allSettled(all);
    await expect.poll(arrived, PATIENT).toBe(1);
    await sandbox.close();
    for (const one of await settled) {
      expect(one).toMatchObject({ status: "rejected", reason: { type: { code: "sandbox_busy" } } });
    }
    await expect(run(sandbox, "return 1")).rejects.toMatchObject({ type: { status: 503 } });
    expect(startedSince(others)).toEqual([]);
  });

  test("runs from its source without a bundle", async () => {
    const others = scriptProcessesOf();
    vi.stubEnv("MILLRACE_BUNDLE", "off");
    const sandbox = new Sandbox({ processes: 1 });
    expect(await run(sandbox, "return 1 as number")).toMatchObject({ output: 1 });
    const [pid = 0] = startedSince(others);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toContain("sandbox/process/program.ts");
    vi.unstubAllEnvs();
    await sandbox.close();
  });

  test("does not outlive its parent process", async () => {
    const program = fileURLToPath(new URL("./testing/parent.ts", import.meta.url));
    const parent = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => parent.stdout.once("data", resolve));
    // The endless script, and the spare process.
    const scripts = scriptProcessesOf(parent.pid);
    parent.kill("SIGKILL");
    expect(scripts).toHaveLength(2);
    await expect
      .poll(() => scripts.filter((pid) => existsSync(`/proc/${pid}`)), PATIENT)
      .toEqual([]);
  });
});

function prioritiesOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
  } catch {
    // The process has just ended.
    return [0];
  }
}
