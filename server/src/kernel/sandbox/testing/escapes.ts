import { ENDS, FAILS, failsWith, type HostileScript } from "./verdicts.ts";

const NO_CODE = failsWith("EvalError", "A script can't evaluate code from a string.");

/** Code evaluation from text, and access to the host's constructors. */
export const CONSTRUCTORS: readonly HostileScript[] = [
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
    source: `return [typeof process, typeof global, typeof fetch, typeof WebAssembly,
      typeof SharedArrayBuffer, typeof Atomics, typeof WeakRef, typeof FinalizationRegistry,
      typeof module, typeof exports, typeof performance, typeof setInterval]`,
    ...ENDS,
    shows: { output: Array.from({ length: 12 }, () => "undefined") },
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

/** Reading internal functions, and changing the built-ins they use. */
export const TAMPERING: readonly HostileScript[] = [
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
  {
    name: "errors of another realm, where the stack ends",
    source: `
      const foreign = [];
      const look = (error) => { if (!(error instanceof Error)) foreign.push(String(error)) };
      const works = [() => context.log.info('x'), () => atob('%'), () => new URL('no'), () => setTimeout(() => {}, 1),
        () => void context.tables.get(1).catch(look), () => structuredClone(look), () => new ArrayBuffer(1e10)];
      for (const work of works) {
        let left = 20;
        const deep = () => {
          try { deep() } catch (error) { look(error) }
          if (left-- > 0) { try { work() } catch (error) { look(error) } }
        };
        deep();
      }
      await import('x').catch(look);
      return foreign`,
    ...ENDS,
    shows: { output: [] },
  },
  { name: "a changed context", source: "context.workspace.id = 'ws_2'", ...FAILS },
  {
    name: "another prototype for the context",
    source: "Object.setPrototypeOf(context, new Proxy({}, { get: () => 'owned' }))",
    ...FAILS,
  },
];
