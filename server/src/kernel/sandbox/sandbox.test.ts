import { afterAll, describe, expect, test } from "vitest";
import { Failure, Forbidden } from "../operation/failure.ts";
import { type Execution, Sandbox } from "./sandbox.ts";
import { run } from "./testing/scripts.ts";

const thrown: unknown[] = [];
const sandbox = new Sandbox({ waitMs: 120_000, onError: (error) => thrown.push(error) });
afterAll(() => sandbox.close());

describe("a script", () => {
  test("can be a body that uses input and context, returns and awaits", async () => {
    const source = `
      const answer = await context.tables.get("notes", "n1");
      input.seen = true;
      return { sum: input.a + 1, answer };`;
    expect(await run(sandbox, source, { input: { a: 1 } })).toEqual({
      status: "completed",
      output: { sum: 2, answer: { method: "tables.get", args: ["notes", "n1"] } },
      current: { a: 1, seen: true },
      abortReason: null,
      error: null,
      messages: [],
      uiStateChanges: [],
      logs: [],
      durationMs: expect.any(Number),
    });
  });

  test.each([
    [
      "a definition",
      "export default defineArtifact({ async execute(input) { return input.a + 1 } })",
    ],
    [
      "a plain object",
      "const by = 1;\nexport default { by, execute(input) { return input.a + this.by } }",
    ],
    ["a function", "export default (input) => input.a + 1"],
    [
      "TypeScript with what its editor needs",
      `import { defineArtifact, type Context } from "@millrace/client/artifact";
       import type { Input } from "./input.ts";
       export default defineArtifact<Input>({
         async execute(input: Input, context: Context): Promise<number> { return (input.a as number) + 1; },
       });`,
    ],
  ])("can be a module that exports %s", async (_, source) => {
    const outcome = await run(sandbox, source, { input: { a: 1 } });
    expect(outcome).toMatchObject({ status: "completed", output: 2, error: null });
  });

  test("is parsed as TypeScript if it has types, otherwise as JavaScript", async () => {
    const typed =
      "const twice = <T extends number>(n: T): number => n * 2;\nreturn twice(input.a as number)";
    expect(await run(sandbox, typed, { input: { a: 4 } })).toMatchObject({ output: 8 });
    // Without type arguments this would be `f(c)`.
    const plain = "const [f, a, b, c] = [1, 2, 3, 4]; return [f < a, a > (c), f<a>(c)]";
    expect(await run(sandbox, plain)).toMatchObject({ output: [true, false, false] });
  });

  test("has read-only facts in its context", async () => {
    const source =
      "return [context.workspace, context.environment, context.depth, Object.keys(context)]";
    const facts = { workspace: { id: "ws_1" }, environment: "staging", depth: 3 };
    const { output } = await run(sandbox, source, { facts });
    const members =
      "workspace environment depth tables connectors secrets variables events http files log abort";
    expect(output).toEqual([
      { id: "ws_1" },
      "staging",
      3,
      [...members.split(" "), "addMessage", "ui"],
    ]);
    const change = await run(sandbox, '"use strict"; context.workspace.id = "ws_2"');
    expect(change).toMatchObject({ status: "failed", error: { name: "TypeError" } });
  });

  test("has a log, messages and UI changes", async () => {
    const source = `
      context.log("warn", "first", { n: 1 });
      context.log("shout", "second");
      context.log.debug("third");
      console.log("fourth", { n: 2 }, 3, undefined, new TypeError("x"));
      console.error("fifth");
      context.addMessage("success", "Saved.");
      context.ui.set("priority", { hidden: true });`;
    const outcome = await run(sandbox, source);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    expect(outcome).toMatchObject({
      output: null,
      logs: [
        { level: "warn", message: "first", metadata: { n: 1 }, at },
        { level: "info", message: "second", metadata: null, at },
        { level: "debug", message: "third", metadata: null, at },
        { level: "info", message: 'fourth {"n":2} 3 undefined TypeError: x', metadata: null, at },
        { level: "error", message: "fifth", metadata: null, at },
      ],
      messages: [{ level: "success", text: "Saved." }],
      uiStateChanges: [{ field: "priority", change: { hidden: true } }],
    });
  });

  test("can abort itself, even if it catches the error", async () => {
    const plain = "input.a = 2; context.abort('Not today'); input.a = 3";
    expect(await run(sandbox, plain, { input: { a: 1 } })).toMatchObject({
      status: "aborted",
      abortReason: "Not today",
      output: null,
      current: { a: 2 },
      error: null,
    });
    const stubborn =
      "try { context.abort('No') } catch {} await new Promise((done) => setTimeout(done, 1e5))";
    expect(await run(sandbox, stubborn)).toMatchObject({ status: "aborted", abortReason: "No" });
  });

  test("has some web APIs", async () => {
    const source = `
      const url = new URL("../c?x=1#y", "https://example.com/a/b/");
      url.searchParams.append("q", "ü &");
      url.port = "8443";
      const params = new URLSearchParams({ a: "1", b: "2" });
      params.set("a", "3");
      const copy = structuredClone({ at: new Date(0), set: new Set([1]), bytes: new Uint8Array([1, 2]) });
      const order = [];
      queueMicrotask(() => order.push("micro"));
      await new Promise((done) => setTimeout((a) => { order.push(a); done() }, 2, "timer"));
      const off = setTimeout(() => order.push("never"), 1);
      clearTimeout(off);
      await new Promise((done) => setTimeout(done, 5));
      return [String(url), url.hostname, url.searchParams.get("x"), String(params), [...params],
        url.searchParams instanceof URLSearchParams, URL.canParse("no"), atob(btoa("abc")), order,
        copy.at.toISOString(), copy.set.has(1), copy.bytes.length, /^[0-9a-f-]{36}$/.test(crypto.randomUUID()),
        new Date(0).getTimezoneOffset()]`;
    expect(await run(sandbox, source)).toMatchObject({
      status: "completed",
      output: [
        "https://example.com:8443/a/c?x=1&q=%C3%BC+%26#y",
        "example.com",
        "1",
        "a=3&b=2",
        [
          ["a", "3"],
          ["b", "2"],
        ],
        true,
        false,
        "abc",
        ["micro", "timer"],
        "1970-01-01T00:00:00.000Z",
        true,
        2,
        true,
        0,
      ],
    });
  });

  test("can verify a signature", async () => {
    const source = `
      const signed = crypto.hmac("sha256", "key", "The quick brown fox jumps over the lazy dog");
      const refused = (() => { try { return crypto.hmac("md5", "", "") } catch (error) { return error.name } })();
      return [signed, crypto.timingSafeEqual(signed, input.signature), crypto.timingSafeEqual(signed, "x"), refused]`;
    const signature = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
    expect(await run(sandbox, source, { input: { signature } })).toMatchObject({
      output: [signature, true, false, "TypeError"],
    });
  });

  test("has limits of source, input and log", async () => {
    const long = `return 1; // ${"x".repeat(256 * 1024)}`;
    expect(await run(sandbox, long)).toMatchObject({ status: "too_large", output: null });
    expect(await sandbox.inspect(long)).toMatchObject({ ok: false, error: { name: "RangeError" } });
    const input = { a: "x".repeat(4 * 1024 * 1024) };
    expect(await run(sandbox, "return 1", { input })).toMatchObject({ status: "too_large" });
    const chatty = "for (let i = 0; i < 5000; i++) context.log.info('x'.repeat(500)); return 1";
    const { status, logs } = await run(sandbox, chatty);
    expect([status, logs.length, logs.at(-1)?.message]).toEqual([
      "completed",
      525,
      "The script wrote too many log lines. Later lines are omitted.",
    ]);
  });
});

describe("a host call", () => {
  test("reaches the host with its arguments", async () => {
    const source = `
      await context.tables.list("notes", { limit: 2 });
      await Promise.all([context.tables.create("notes", { a: 1 }), context.tables.update("notes", "n1", {})]);
      await context.tables.delete("notes", "n1");
      await context.connectors.invoke("con_1", "request", { path: "/" });
      await context.secrets.get("KEY");
      await context.events.publish("orders", { type: "order.paid", payload: {} });
      return await context.http.request({ method: "GET", url: "https://example.com" });`;
    const calls: unknown[] = [];
    const call: Execution["call"] = async (method, args) => {
      calls.push([method, ...args]);
      return method === "http.request" ? { status: 200 } : undefined;
    };
    expect(await run(sandbox, source, { call })).toMatchObject({ output: { status: 200 } });
    expect(calls).toEqual([
      ["tables.list", "notes", { limit: 2 }],
      ["tables.create", "notes", { a: 1 }],
      ["tables.update", "notes", "n1", {}],
      ["tables.delete", "notes", "n1"],
      ["connectors.invoke", "con_1", "request", { path: "/" }],
      ["secrets.get", "KEY"],
      ["events.publish", "orders", { type: "order.paid", payload: {} }],
      ["http.request", { method: "GET", url: "https://example.com" }],
    ]);
  });

  test("that fails is an error with a code and the position of the call", async () => {
    const source =
      "const a = 1;\ntry {\n  await context.tables.get(1)\n} catch (e) { input.e = { ...e, m: e.message } }\n  await context.tables.get(2)";
    const errors = [{ path: "/a", message: "is missing" }];
    const call: Execution["call"] = async () => {
      throw new Failure(Forbidden, { detail: "Not that table.", errors });
    };
    expect(await run(sandbox, source, { call })).toMatchObject({
      status: "failed",
      current: { e: { code: "forbidden", status: 403, errors, m: "Not that table." } },
      error: { name: "Error", message: "Not that table.", line: 5, column: 3 },
    });
  });

  test("that fails with an internal error reveals no details to the script", async () => {
    const call: Execution["call"] = async () => {
      throw new Error("password authentication failed");
    };
    const source = "try { await context.tables.get(1) } catch (e) { return [e.code, e.message] }";
    const { output } = await run(sandbox, source, { call });
    expect(output).toEqual(["internal", "An internal error occurred."]);
    expect(thrown.splice(0)).toEqual([new Error("password authentication failed")]);
  });

  test("has limits of arguments, response and number", async () => {
    const flood = `
      const all = await Promise.allSettled(Array.from({ length: 1500 }, (_, i) => context.tables.get(i)));
      return all.filter(({ reason }) => reason?.code === "too_many_calls").length`;
    let [atATime, atMost, calls] = [0, 0, 0];
    const call: Execution["call"] = async () => {
      calls += 1;
      atATime += 1;
      atMost = Math.max(atMost, atATime);
      await new Promise((resolve) => setImmediate(resolve));
      atATime -= 1;
      return null;
    };
    expect(await run(sandbox, flood, { call })).toMatchObject({ output: 500 });
    expect([calls, atMost]).toEqual([1_000, 8]);
    const codes = `
      const codes = [];
      for (const size of [2e6, 1]) await context.tables.get("x".repeat(size)).catch((e) => codes.push(e.code));
      return codes`;
    const large: Execution["call"] = async () => "x".repeat(5e6);
    expect(await run(sandbox, codes, { call: large })).toMatchObject({
      output: ["too_large", "too_large"],
    });
  });

  test("is rejected after the end of the script and completed before it", async () => {
    const source = `
      (async () => { for (let i = 0; ; i++) await context.tables.get(i) })();
      return "done"`;
    const calls: unknown[] = [];
    const call: Execution["call"] = async (_, args) => calls.push(args[0]);
    expect(await run(sandbox, source, { call })).toMatchObject({ output: "done" });
    await run(sandbox, "return 1");
    expect(calls).toEqual([0]);
  });

  test("reports a failure even if it is not awaited", async () => {
    const call: Execution["call"] = async (method) => {
      if (method === "tables.get") throw new Failure(Forbidden);
    };
    const source = "context.tables.get(1); await context.tables.list(2); return 1";
    const { output, logs } = await run(sandbox, source, { call });
    expect([output, logs.map(({ message }) => message)]).toEqual([
      1,
      ["Unhandled error: Error: The credential does not have the required permission."],
    ]);
  });
});
