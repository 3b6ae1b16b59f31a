import { BOMB, ENDS, FAILS, failsWith, type HostileScript, NEVER_ENDS } from "./verdicts.ts";

/** Deceptive outputs and errors. */
export const TRICKS: readonly HostileScript[] = [
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
    ...failsWith("Error", "The script threw a value that can't be read."),
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
    ...failsWith("Error", "The script awaits a promise that never settles."),
  },
  {
    name: "a thenable that settles again and again",
    source: "return { then(resolve, reject) { resolve(1); resolve(2); reject(3); throw 4 } }",
    ...ENDS,
    shows: { output: 1 },
  },
];

/** Too much time or memory. */
export const EXHAUSTION: readonly HostileScript[] = [
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
    ...failsWith("Error", "The script awaits a promise that never settles."),
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
