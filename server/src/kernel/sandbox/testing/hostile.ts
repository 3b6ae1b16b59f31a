import type { ScriptOutcome, ScriptStatus } from "../sandbox.ts";

export interface HostileScript {
  readonly name: string;
  readonly source: string;
  /** More than one where it depends on how busy the machine is. */
  readonly ends: readonly ScriptStatus[];
  /** What else is to be seen of it. */
  readonly shows?: Partial<ScriptOutcome>;
  /** Short for what never ends by itself; the rest has all the time it needs on a busy machine. */
  readonly timeoutMs?: number;
}

const NEVER_ENDS = { ends: ["timed_out"], timeoutMs: 300 } as const;
const BOMB = { ends: ["out_of_memory", "timed_out"], timeoutMs: 2_000 } as const;
const ENDS = { ends: ["completed"] } as const;
const FAILS = { ends: ["failed"] } as const;

function failsWith(name: string, message: string): Pick<HostileScript, "ends" | "shows"> {
  return { ...FAILS, shows: { error: expectError(name, message) } };
}

/** Only the parts that a test is about. */
function expectError(name: string, message: string): ScriptOutcome["error"] {
  return { name, message } as ScriptOutcome["error"];
}

const NO_CODE = failsWith("EvalError", "A script can't make code of a text.");

/** Code of texts, and ways to the host's own constructors. */
const CONSTRUCTORS: readonly HostileScript[] = [
  { name: "eval", source: "return eval('1')", ...NO_CODE },
  { name: "indirect eval", source: "return (0, eval)('this')", ...NO_CODE },
  { name: "Function", source: "return new Function('return this')()", ...NO_CODE },
  {
    name: "the constructor of a function of the context",
    source: "return context.log.constructor('return process')()",
    ...NO_CODE,
  },
  {
    name: "the constructor of a call",
    source: "return context.tables.get.constructor.constructor('return this')()",
    ...NO_CODE,
  },
  {
    name: "the constructor of what the host answered",
    source:
      "const answer = await context.tables.get('x'); return answer.constructor.constructor('return process')()",
    ...NO_CODE,
  },
  {
    name: "the constructor of asynchronous functions",
    source: "return await (async () => {}).constructor('return process')()",
    ...NO_CODE,
  },
  {
    name: "the constructors of generators",
    source: `
      const made = [function* () {}, async function* () {}].map((sample) => {
        try { return sample.constructor('yield process')() } catch (error) { return error.name }
      });
      return [...made, Object.getPrototypeOf(async () => {}) instanceof Function]`,
    ...ENDS,
    shows: { output: ["EvalError", "EvalError", true] },
  },
  {
    name: "what belongs to the host",
    source: `return [typeof process, typeof global, typeof Buffer, typeof fetch, typeof WebAssembly,
      typeof SharedArrayBuffer, typeof Atomics, typeof WeakRef, typeof FinalizationRegistry,
      typeof module, typeof exports, typeof performance, typeof setInterval]`,
    ...ENDS,
    shows: { output: Array.from({ length: 13 }, () => "undefined") },
  },
  {
    name: "Atomics.wait",
    source: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    ...failsWith("ReferenceError", "Atomics is not defined"),
  },
  {
    name: "import()",
    source: "const fs = await import('node:fs'); return fs",
    ...failsWith("Error", "A script can't import modules."),
  },
  {
    name: "require",
    source: "return require('fs')",
    ...failsWith("Error", "A script can't load modules: there is no `require`."),
  },
  {
    name: "a body that closes its function",
    source: "}); globalThis.owned = 1; (async () => {",
    ...failsWith("SyntaxError", "Unexpected token ')'"),
  },
];

/** Looking into our own functions, and changing what they are made of. */
const TAMPERING: readonly HostileScript[] = [
  {
    name: "Error.prepareStackTrace, to get at functions",
    source: `
      Error.prepareStackTrace = (error, frames) =>
        frames.map((frame) => [typeof frame.getFunction(), typeof frame.getThis()].join());
      Error.stackTraceLimit = 100;
      const own = await context.tables.get('x').catch((error) => error.stack) && new Error().stack;
      return [...new Set(own)]`,
    ...ENDS,
    shows: { output: ["undefined,undefined"] },
  },
  {
    name: "callers of a function",
    source: "return (function () { return arguments.callee.caller })()",
    ...FAILS,
  },
  {
    name: "changed JSON",
    source:
      "JSON.stringify = () => '\"owned\"'; JSON.parse = () => 'owned'; return { a: await context.tables.get(1) }",
    ...ENDS,
    shows: { output: { a: { method: "tables.get", args: [1] } } },
  },
  {
    name: "changed promises",
    source: `
      Promise.prototype.then = () => { throw new Error('owned') };
      globalThis.Promise = null;
      return await context.tables.get(1)`,
    ...ENDS,
    shows: { output: { method: "tables.get", args: [1] } },
  },
  {
    name: "promises of no kind",
    source: `
      Promise.prototype.then = () => { throw new Error('owned') };
      Promise.prototype.constructor = null;
      return await context.tables.get(1)`,
    ...failsWith("Error", "owned"),
  },
  {
    name: "changed iteration",
    source: `
      Array.prototype[Symbol.iterator] = () => { throw new Error('owned') };
      Object.getPrototypeOf([].values()).next = () => ({ done: true });
      Array.prototype.push = Array.prototype.map = null;
      context.log('warn', 'x', { y: 1 });
      return await context.tables.get(1)`,
    ...ENDS,
    shows: { output: { method: "tables.get", args: [1] } },
  },
  {
    name: "setters on Object.prototype",
    source: `
      const seen = [];
      for (const key of ['failure', 'status', 'text', 'message', 'code', '1', 'value']) {
        Object.defineProperty(Object.prototype, key, { set: (value) => seen.push(typeof value), get: () => 'owned', configurable: true });
      }
      const answer = await context.tables.get(1);
      return [answer.method, answer.args, seen]`,
    ...ENDS,
    shows: { output: ["tables.get", [1], []] },
  },
  {
    name: "prototype pollution",
    source:
      "Object.prototype.polluted = Array.prototype.polluted = Function.prototype.polluted = 1; return {}",
    ...ENDS,
    shows: { output: {} },
  },
  {
    name: "a __proto__ in its output",
    source: `return JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}')`,
    ...ENDS,
    shows: { output: { a: {} } },
  },
  {
    name: "a toJSON for everything",
    source: "Object.prototype.toJSON = () => 'owned'; return { a: 1 }",
    ...ENDS,
    shows: { output: "owned" },
  },
  {
    name: "a then for everything",
    source:
      "Object.prototype.then = function (resolve) { delete Object.prototype.then; resolve('owned') }; return {}",
    ...ENDS,
    shows: { output: "owned" },
  },
  {
    name: "globals taken away",
    source:
      "for (const name of Object.getOwnPropertyNames(globalThis)) { try { globalThis[name] = null } catch {} } return { a: 1 }",
    ...ENDS,
    shows: { output: { a: 1 } },
  },
  {
    name: "everything frozen",
    source: `
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const value = globalThis[name];
        if (value && value !== globalThis) Object.freeze(value.prototype ?? value) && Object.freeze(value);
      }
      Object.freeze(globalThis);
      return await context.tables.get(1)`,
    ...ENDS,
    shows: { output: { method: "tables.get", args: [1] } },
  },
  { name: "a changed context", source: "context.workspace.id = 'ws_2'", ...FAILS },
  {
    name: "another prototype for the context",
    source: "Object.setPrototypeOf(context, new Proxy({}, { get: () => 'owned' }))",
    ...FAILS,
  },
];

/** Outputs and errors that are not what they seem. */
const TRICKS: readonly HostileScript[] = [
  { name: "a getter that loops", source: "return { get a() { for (;;); } }", ...NEVER_ENDS },
  {
    name: "a proxy that loops",
    source: "return new Proxy({}, { ownKeys() { for (;;); } })",
    ...NEVER_ENDS,
  },
  {
    name: "a proxy of an array that is endless",
    source:
      "return new Proxy([], { get: (target, key) => key === 'length' ? 2 ** 53 - 1 : target[key] })",
    ends: ["too_large"],
  },
  {
    name: "an error whose stack loops",
    source:
      "const error = new Error('x'); Object.defineProperty(error, 'stack', { get() { for (;;); } }); throw error",
    ...NEVER_ENDS,
  },
  {
    name: "an argument whose toJSON loops",
    source: "await context.tables.create('x', { toJSON() { for (;;); } })",
    ...NEVER_ENDS,
  },
  {
    name: "a message that loops when it is read",
    source:
      "class Odd extends Error { get name() { return { [Symbol.toPrimitive]() { for (;;); } } } } context.addMessage('info', new Odd())",
    ...NEVER_ENDS,
  },
  {
    name: "errors that throw when they are read",
    source:
      "throw new Proxy(new Error(), { get() { throw new Error('no') }, getPrototypeOf: () => Error.prototype })",
    ...failsWith("Error", "The script threw something that can't be read."),
  },
  { name: "throwing nothing", source: "throw undefined", ...failsWith("Error", "undefined") },
  { name: "throwing a symbol", source: "throw Symbol('x')", ...failsWith("Error", "Symbol(x)") },
  {
    name: "throwing an object",
    source: "throw { code: 7 }",
    ...failsWith("Error", '{"code":7}'),
  },
  {
    name: "an error as long as a book",
    source: "throw new Error('x'.repeat(1e7))",
    ...failsWith("Error", "x".repeat(4_000)),
  },
  { name: "a circle", source: "const a = {}; a.a = a; return a", ...FAILS },
  { name: "a bigint", source: "return { a: 1n }", ...FAILS },
  { name: "a function", source: "return () => 1", ...ENDS, shows: { output: null } },
  {
    name: "a deep output",
    source: "let a = []; for (let i = 0; i < 300; i++) a = [a]; return a",
    ends: ["too_large"],
  },
  {
    name: "a bottomless output",
    source: "let a = []; for (let i = 0; i < 2e4; i++) a = [a]; return a",
    ends: ["too_large"],
  },
  { name: "a large output", source: "return 'x'.repeat(2 ** 21)", ends: ["too_large"] },
  {
    name: "a toJSON of half a gigabyte",
    source: "return { toJSON: () => 'x'.repeat(2 ** 29 - 100) }",
    ends: ["too_large", "out_of_memory"],
  },
  {
    name: "a thenable that never settles",
    source: "return { then() {} }",
    ...failsWith("Error", "The script waits for something that never happens."),
  },
  {
    name: "a thenable that settles again and again",
    source: "return { then(resolve, reject) { resolve(1); resolve(2); reject(3); throw 4 } }",
    ...ENDS,
    shows: { output: 1 },
  },
];

/** Too much time, too much memory. */
const EXHAUSTION: readonly HostileScript[] = [
  { name: "an endless loop", source: "for (;;);", ...NEVER_ENDS },
  { name: "an endless module", source: "for (;;); export default { execute() {} }", ...NEVER_ENDS },
  {
    name: "endless microtasks after its end",
    source: "(function again() { Promise.resolve().then(again) })(); return 1",
    ...NEVER_ENDS,
  },
  {
    name: "endless queued microtasks",
    source: "(function again() { queueMicrotask(again) })(); return 1",
    ...NEVER_ENDS,
  },
  { name: "waiting for nothing, forever", source: "for (;;) await null", ...NEVER_ENDS },
  {
    name: "an endless asynchronous generator",
    source: "for await (const one of (async function* () { for (;;) yield 1 })());",
    ...NEVER_ENDS,
  },
  {
    name: "a promise that never settles",
    source: "await new Promise(() => {})",
    ...failsWith("Error", "The script waits for something that never happens."),
  },
  {
    name: "timers without end",
    source: "await new Promise(() => { (function again() { setTimeout(again, 1) })() })",
    ...NEVER_ENDS,
  },
  {
    name: "a timer that loops",
    source: "setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
    ...NEVER_ENDS,
  },
  {
    name: "timers beyond number",
    source: "for (;;) setTimeout(() => {}, 1)",
    ...failsWith("RangeError", "A script may set 10000 timers."),
  },
  {
    name: "a catastrophic pattern",
    source: "return /^(a+)+$/.test('a'.repeat(60) + '!')",
    ...NEVER_ENDS,
  },
  { name: "a power of a bigint", source: "return (7n ** (10n ** 8n)).toString()", ...NEVER_ENDS },
  {
    name: "a search that takes hours",
    source: "return 'ab'.repeat(2 ** 23).indexOf('ab'.repeat(2 ** 22) + 'c')",
    ends: ["timed_out", "completed"],
    timeoutMs: 300,
  },
  {
    name: "a comparison that loops",
    source: "return [3, 2, 1].sort(() => { for (;;); })",
    ...NEVER_ENDS,
  },
  {
    name: "an endless recursion",
    source: "(function again() { again() })()",
    ...failsWith("RangeError", "Maximum call stack size exceeded"),
  },
  {
    name: "a recursion that tries again",
    source: "(function again() { try { again() } finally { again() } })()",
    ...NEVER_ENDS,
  },
  {
    name: "a growing map",
    source: "const map = new Map(); for (let i = 0; ; i++) map.set(i, { i })",
    ...BOMB,
  },
  {
    name: "a growing array",
    source: "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
    ...BOMB,
  },
  {
    name: "a growing text",
    source: "let text = 'x'; for (;;) text += text",
    ...failsWith("RangeError", "Invalid string length"),
  },
  {
    name: "memory beside the heap",
    source: "const all = []; for (;;) all.push(new ArrayBuffer(1e6))",
    ...failsWith("RangeError", "Array buffer allocation failed"),
  },
  {
    name: "memory that the engine does not count",
    source:
      "const all = []; for (let i = 0; ; i++) all.push(new Intl.DateTimeFormat('en', { timeZoneName: 'long' }))",
    ...BOMB,
  },
  { name: "a list of a billion", source: "return [...Array(1e9).keys()]", ...BOMB },
  {
    name: "promises beyond number",
    source: "const all = []; for (;;) all.push(new Promise(() => {}).then(() => all))",
    ...BOMB,
  },
];

/** At least forty, of all kinds. */
export const HOSTILE: readonly HostileScript[] = [
  ...CONSTRUCTORS,
  ...TAMPERING,
  ...TRICKS,
  ...EXHAUSTION,
];
