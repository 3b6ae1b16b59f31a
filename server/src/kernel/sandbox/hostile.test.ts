import { afterAll, describe, expect, test } from "vitest";
import { Sandbox } from "./sandbox.ts";
import { CONSTRUCTORS, TAMPERING } from "./testing/escapes.ts";
import { EXHAUSTION, TRICKS } from "./testing/excesses.ts";
import { run, scriptProcessesOf } from "./testing/scripts.ts";

const sandbox = new Sandbox({ waitMs: 120_000 });
/** Processes that earlier test files left for reuse. */
const left = new Set(scriptProcessesOf());
afterAll(() => sandbox.close());

const HOSTILE = [...CONSTRUCTORS, ...TAMPERING, ...TRICKS, ...EXHAUSTION];

/** Inspects a context for changes. */
const PROBE = `
  // The library's text and lists are there for all, since some name them.
  const seen = [globalThis, Object, Object.prototype, Array.prototype, Function.prototype, Promise,
    Promise.prototype, JSON, Error, Symbol, String.prototype].map((thing) => [
    Reflect.ownKeys(thing).map(String).sort(), Object.isFrozen(thing),
  ]);
  return [seen, JSON.stringify({ a: [1] }), String(Object.prototype.toJSON), typeof owned,
    await context.tables.get(1), [...new Set([1, 2])]]`;

let clean: Promise<unknown> | undefined;
/** The result in a process without earlier runs, computed once. */
function untouched(): Promise<unknown> {
  clean ??= run(sandbox, PROBE, {
    owner: "clean",
    limits: { timeoutMs: 60_000, memoryMb: 16 },
  }).then(({ status, output }) => {
    expect(status).toBe("completed");
    return output;
  });
  return clean;
}

/** The script attacks, or inspects the context for changes. */
function twofold(hostile: string): string {
  if (hostile.includes("export default")) return hostile;
  const isSyntax = hostile.startsWith("}");
  return isSyntax ? hostile : `if (input.looks) { ${PROBE} }\n${hostile}`;
}

describe.concurrent("a hostile script does not affect others, and the next run sees no changes", () => {
  test.each(HOSTILE)("$name", async ({ name, source, ends, shows, timeoutMs = 60_000 }) => {
    const both = twofold(source);
    const memoryMb = 16;
    const outcome = await run(sandbox, both, { owner: name, limits: { timeoutMs, memoryMb } });
    expect(ends, JSON.stringify(outcome.error)).toContain(outcome.status);
    if (shows) expect(outcome).toMatchObject(shows);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const limits = { timeoutMs: 60_000, memoryMb };
    if (both !== source) {
      const again = await run(sandbox, both, { owner: name, input: { looks: true }, limits });
      expect(again).toMatchObject({ status: "completed", output: await untouched() });
    }
    const own = scriptProcessesOf().filter((pid) => !left.has(pid));
    expect(own.length).toBeLessThanOrEqual(16);
  });
});

test("the set of hostile scripts is large enough", () => {
  expect(new Set(HOSTILE.map(({ source }) => source)).size).toBeGreaterThan(60);
});
