import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { IS_THOROUGH } from "../../testing/thorough.ts";
import { idleProcesses } from "../../testing/world.ts";
import { IdleProcesses } from "../../work/subprocess.ts";
import { compileExpression } from "../expression.ts";
import type { Evaluator } from "./evaluator.ts";
import { ExpressionPool } from "./pool.ts";

/** Reuses processes of earlier test files and leaves them to later ones. */
const kept = { idleProcesses: idleProcesses.evaluators };
/** With a long timeout, because the machine may be busy: for evaluations that end normally. */
const pool = new ExpressionPool({ ...kept, timeLimitMs: 20_000 });
/** With a short timeout: for evaluations that must be stopped. */
const strict = new ExpressionPool({ ...kept, timeLimitMs: 100 });
afterAll(async () => {
  await Promise.all([pool.close(), strict.close()]);
});

/** Which limit is reached first depends on the load of the machine. */
const STOPPED = /^(timeout|too_large)$/;
const FOREVER = "($f := function(){ $f() }; $f())";

async function evaluate(text: string, in_ = pool, key = "acme", scope: unknown = {}) {
  return compileExpression(text).evaluate(scope, { pool: in_, key, nowMs: 0 });
}

describe("hostile expressions do not affect other expressions", () => {
  test.each<[string, string]>([
    ["an endless recursion", FOREVER],
    ["a recursion that grows", "($f := function($n){ $f($n + 1) + 1 }; $f(1))"],
    ["a catastrophic pattern", "$match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', /(a+)+$/)"],
    ["a long range", "$sum([1..10000000])"],
    ["ranges in ranges", "[1..1000].([1..1000].([1..1000]))"],
    ["a doubling array", "$reduce([1..100], function($a, $b){ $append($a, $a) }, [1, 2])"],
    ["a doubling text", "$reduce([1..100], function($a, $b){ $a & $a }, 'ab') ~> $length()"],
    ["a padded text", "$pad('', 500000000, 'ab')"],
    ["a text of half a gigabyte", "$pad('', 1000000000)"],
    ["a split text", "$split($pad('', 50000000, 'a'), '')"],
    ["many texts", "$map([1..1000000], function($i){ $pad('x', 1000) & $i })"],
    ["a sort", "$sort([1..1000000])"],
    [
      "a signature that backtracks",
      `function($a)<${"n+".repeat(12)}:x>{ 1 }(${"1,".repeat(60)} $sum)`,
    ],
    ["a circle", "$ ~> |$|{'self': $}|"],
    ["a deep result", "$reduce([1..5000], function($a, $b){ [$a, [$a]] }, 1)"],
  ])("%s", async (_, text) => {
    const failure = await evaluate(text, strict, text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: expect.stringMatching(STOPPED) });
    expect(await evaluate("$map([1], function($n){ $n })")).toBe(1);
  });

  test("replaces a process that died", async () => {
    const own = new ExpressionPool({ timeLimitMs: 5_000, processes: 1, memoryMb: 16 });
    const bomb = "$map([1..1000000], function($i){ $pad('x', 1000) & $i })";
    const failure = await evaluate(bomb, own).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: expect.stringMatching(STOPPED) });
    expect(await evaluate("$reverse([1, 2])", own)).toEqual([2, 1]);
    await own.close();
  });
});

test("a process keeps working after many expressions and keys", async () => {
  const own = new ExpressionPool({ timeLimitMs: 20_000, processes: 1, memoryMb: 24 });
  for (let round = 0; round < (IS_THOROUGH ? 40 : 12); round += 1) {
    const numbers = Array.from({ length: 100 }, (_, index) => round * 100 + index);
    const expressions = numbers.map((n) => ({ text: `$reverse([${n}])[0]`, writes: false }));
    const request = { key: `key ${round % 7}`, expressions, input: "{}", nowMs: 0 };
    expect(await own.evaluate(request)).toEqual(numbers.map((value) => ({ value })));
  }
  await own.close();
});

describe("results and inputs are bounded", () => {
  test("a result", async () => {
    const small = new ExpressionPool({ ...kept, timeLimitMs: 20_000, resultCharactersMax: 1_000 });
    expect(await evaluate("$pad('', 900)", small)).toHaveLength(900);
    for (const text of [
      "$pad('', 1000)",
      "[1..1000]",
      "$pad('', 600, '\\n')",
      "{$pad('', 1000): 1}",
    ]) {
      await expect(evaluate(text, small), text).rejects.toMatchObject({ code: "too_large" });
    }
    await small.close();
  });

  test("an input", async () => {
    const small = new ExpressionPool({ ...kept, inputCharactersMax: 1_000 });
    const scope = { a: "x".repeat(1_000) };
    await expect(evaluate("$reverse(a)", small, "acme", scope)).rejects.toMatchObject({
      code: "too_large",
    });
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    await expect(evaluate("$reverse(a)", pool, "acme", { a: deep })).rejects.toMatchObject({
      code: "too_large",
    });
  });
});

describe("expressions cannot affect later ones", () => {
  /** One process for all of them, so that changes would be visible to the next expression. */
  const own = new ExpressionPool({ timeLimitMs: 20_000, processes: 1 });
  afterAll(() => own.close());

  test.each([
    "$ ~> |$sum|{'implementation': function($x){ 'owned' }}|",
    "$ ~> |$sum|{'signature': 1, 'token': 'x'}|",
    "$ ~> |$|{'__proto__': {'polluted': 1}}|",
    "($sum := function($x){ 'owned' }; $sum(1))",
    "$spread([$sum]).implementation",
    "$spread($sum)",
    "$each([$each], function($v){ $v })",
  ])("by %s", async (text) => {
    const first = await evaluate(text, own).catch((error: unknown) => error);
    expect(JSON.stringify(first) ?? "").not.toMatch(/implementation|environment/);
    expect(await evaluate("$reverse([$sum([1, 2]), polluted])", own)).toEqual([3]);
  });

  test("the internals of a function are not accessible", async () => {
    const texts = [
      "($s := $spread([$sum]).implementation; $s([1, 2]))",
      "($s := $lookup([$sum], 'implementation'); $s([1, 2]))",
      "($s := [$sum].implementation; $s([1, 2]))",
      "($s := [$sum].*; $s[1]([1, 2]))",
    ];
    for (const text of texts) {
      await expect(evaluate(text), text).rejects.toMatchObject({ code: "evaluation" });
    }
  });

  test("nothing outside the realm is accessible", async () => {
    for (const name of ["process", "globalThis", "require", "constructor", "Function", "desk"]) {
      expect(await evaluate(`[$${name}, ${name}] ~> $reverse()`)).toEqual([]);
    }
    expect(await evaluate("$reverse([($eval := 1; $eval)])")).toEqual([1]);
    await expect(evaluate("/a/('a').next.constructor('return process')()")).rejects.toThrow();
  });
});

describe("the pool is shared fairly", () => {
  test("many requests of one key do not delay another key", async () => {
    const own = new ExpressionPool({ ...kept, timeLimitMs: 300, processes: 2 });
    await Promise.all(["w1", "w2"].map((key) => evaluate("$reverse([1, 2])", own, key)));
    const order: string[] = [];
    const flood = Array.from({ length: 4 }, (_, index) =>
      evaluate(FOREVER, own, "flooder").catch(() => order.push(`flood ${index}`)),
    );
    const light = Array.from({ length: 3 }, () =>
      evaluate("$reverse([1, 2])", own, "light").then(() => order.push("light")),
    );
    await Promise.all([...flood, ...light]);
    expect(order.indexOf("light")).toBeLessThan(2);
    expect(order.lastIndexOf("light")).toBeLessThan(5);
    await own.close();
  });

  test("two keys with many requests leave a process to light users", async () => {
    const own = new ExpressionPool({ ...kept, timeLimitMs: 300, processes: 2 });
    const order: string[] = [];
    const stopped = async (key: string): Promise<void> => {
      await evaluate(FOREVER, own, key).catch(() => order.push(key));
    };
    // Now the pool knows both as heavy users.
    await Promise.all([stopped("flood a"), stopped("flood b")]);
    order.length = 0;
    const floods = Array.from({ length: 2 }, () => [stopped("flood a"), stopped("flood b")]).flat();
    const light = evaluate("$reverse([1, 2])", own, "light").then(() => order.push("light"));
    await Promise.all([...floods, light]);
    expect(order[0]).toBe("light");
    await own.close();
  });

  test("reports a full queue", async () => {
    const own = new ExpressionPool({
      ...kept,
      timeLimitMs: 20_000,
      processes: 1,
      waitingPerKeyMax: 2,
    });
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => evaluate("$reverse([1, 2])", own)),
    );
    expect(all.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(all[4]).toMatchObject({ reason: { code: "busy" } });
    await own.close();
  });
});

test("the main thread stays responsive", async () => {
  const order: string[] = [];
  const runaway = evaluate(FOREVER, strict, "slow").catch(() => order.push("stopped"));
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  order.push("20 turns");
  await runaway;
  expect(order).toEqual(["20 turns", "stopped"]);
});

describe("an aborted request", () => {
  test("is dropped while other expressions continue", async () => {
    const own = new ExpressionPool({ ...kept, timeLimitMs: 300, processes: 1 });
    const { signal, abort } = stopper();
    const reason = new Error("The run was cancelled.");
    const running = evaluate(FOREVER, own).catch((error: unknown) => error);
    const waiting = compileExpression("$reverse([1])").evaluate(
      {},
      { pool: own, key: "a", nowMs: 0, signal },
    );
    const after = evaluate("$reverse([2, 1])", own);
    abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await running).toMatchObject({ code: "timeout" });
    expect(await after).toEqual([1, 2]);
    await expect(
      own.evaluate({ key: "a", expressions: [], input: "1", nowMs: 0, signal }),
    ).rejects.toBe(reason);
    await own.close();
  });

  function stopper(): { signal: AbortSignal; abort: (reason: unknown) => void } {
    const controller = new AbortController();
    return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
  }
});

describe("a closed pool", () => {
  test("has ended its processes and rejects waiting, running and new requests", async () => {
    const own = new ExpressionPool({ timeLimitMs: 20_000, processes: 1 });
    const before = childrenOf();
    await evaluate("$reverse([1, 2])", own);
    const started = childrenOf().filter((pid) => !before.includes(pid));
    expect(started).toHaveLength(1);
    const all = [FOREVER, "$reverse([1])"].map((text) => evaluate(text, own));
    const settled = Promise.allSettled(all);
    await own.close();
    for (const one of await settled) {
      expect(one).toMatchObject({ status: "rejected", reason: { code: "busy" } });
    }
    await expect(evaluate("$reverse([1])", own)).rejects.toMatchObject({ code: "busy" });
    expect(childrenOf().filter((pid) => started.includes(pid))).toEqual([]);
  });

  test("passes an idle process on, but not a busy one", async () => {
    const options = {
      timeLimitMs: 20_000,
      processes: 1,
      idleProcesses: new IdleProcesses<Evaluator>(1),
    };
    const before = childrenOf();
    const startedSince = (): number[] => childrenOf().filter((pid) => !before.includes(pid));
    const [first, second] = [new ExpressionPool(options), new ExpressionPool(options)];
    await evaluate("$reverse([1, 2])", first);
    const kept = startedSince();
    expect(kept).toHaveLength(1);
    await first.close();
    expect(await evaluate("$reverse([1, 2])", second)).toEqual([2, 1]);
    expect(startedSince()).toEqual(kept);
    const busy = evaluate(FOREVER, second).catch((error: unknown) => error);
    await second.close();
    expect(await busy).toMatchObject({ code: "busy" });
    expect(startedSince()).toEqual([]);
  });

  test("does not start a process if it was never used", async () => {
    const before = childrenOf();
    await new ExpressionPool().close();
    expect(childrenOf()).toEqual(before);
  });
});

/** Running child processes of this process. */
function childrenOf(): number[] {
  const tasks = `/proc/${process.pid}/task`;
  return readdirSync(tasks)
    .flatMap((task) => readFileSync(`${tasks}/${task}/children`, "utf8").split(" "))
    .filter((pid) => pid !== "")
    .map(Number);
}
