/** What a script finds in its global object, and what it does not find there any more; see `desk.ts`. */
import { cloneOf } from "./clone.ts";
import { createScriptLog } from "./context.ts";
import { askHost, type Bootstrap, type Builtins, errorText } from "./builtins.ts";
import { searchParamsClass, urlClass } from "./url.ts";

export function installGlobals(desk: Bootstrap): void {
  const { own } = desk;
  const there: Record<string, unknown> = globalThis;
  // Shared memory and web assembly are not limited by the isolate, and finalizers outlive their context.
  for (const name of ["Atomics", "FinalizationRegistry", "SharedArrayBuffer", "WeakRef"]) {
    delete there[name];
  }
  delete there["WebAssembly"];
  disableEval(own);
  const give = (name: string, value: unknown): void => {
    own.defineProperty(there, name, { value, writable: true, configurable: true });
  };
  give("defineArtifact", (definition: unknown) => definition);
  give("require", () => {
    throw new own.Error("A script can't load modules: there is no `require`.");
  });
  give("setTimeout", (task: unknown, delay: unknown, ...args: readonly unknown[]) =>
    setTimer(desk, () => own.apply(task as () => void, undefined, args), delay),
  );
  give("clearTimeout", (id: unknown) => {
    if (typeof id === "number") delete desk.timers[id];
  });
  give("queueMicrotask", (task: () => void) => void soon(own, task));
  give("structuredClone", (value: unknown) => cloneOf(value, new Map()));
  give("atob", (text: unknown) => askHost(desk, "atob", own.String(text)));
  give("btoa", (text: unknown) => askHost(desk, "btoa", own.String(text)));
  whenUsed(own, "console", () => consoleOf(desk));
  whenUsed(own, "crypto", () => cryptoOf(desk));
  let params: ReturnType<typeof searchParamsClass> | undefined;
  const paramsClass = () => (params ??= searchParamsClass(desk));
  whenUsed(own, "URLSearchParams", paramsClass);
  whenUsed(own, "URL", () => urlClass(desk, paramsClass()));
}

/** Makes a global when it is first asked for: most scripts need few of them, and all would pay. */
export function whenUsed(own: Builtins, name: string, make: () => unknown): void {
  const put = (value: unknown): void => {
    own.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  };
  const get = (): unknown => {
    const value = make();
    put(value);
    return value;
  };
  own.defineProperty(globalThis, name, { get, set: put, configurable: true });
}

/** The code that runs is the code that was saved: none is made of texts. */
export function disableEval(own: Builtins): void {
  const refuse = (): never => {
    throw new EvalError("A script can't make code of a text.");
  };
  const there: Record<string, unknown> = globalThis;
  there["eval"] = (): never => refuse();
  const samples = [() => 0, async () => 0, function* () {}, async function* () {}];
  for (const sample of samples) {
    const prototype: object = Object.getPrototypeOf(sample);
    const constructor = function Function(): never {
      return refuse();
    };
    // So that `instanceof Function` means what it did.
    own.defineProperty(constructor, "prototype", { value: prototype });
    own.defineProperty(prototype, "constructor", { value: constructor });
    if (sample === samples[0]) there["Function"] = constructor;
  }
}

/** `hmac(algorithm, key, text, encoding)` and `timingSafeEqual(a, b)` are for signatures. */
export function cryptoOf(desk: Bootstrap): unknown {
  const { own } = desk;
  return own.freeze({
    randomUUID: () => askHost(desk, "uuid"),
    hmac: (algorithm: unknown, key: unknown, text: unknown, encoding: unknown = "hex") =>
      askHost(
        desk,
        "hmac",
        own.String(algorithm),
        own.String(key),
        own.String(text),
        own.String(encoding),
      ),
    timingSafeEqual: (left: unknown, right: unknown) =>
      askHost(desk, "equal", own.String(left), own.String(right)) === "yes",
  });
}

export function consoleOf(desk: Bootstrap): unknown {
  const { own } = desk;
  // It is what `logOf` makes.
  const log = createScriptLog(desk) as Record<string, (text: string) => void>;
  const as =
    (level: string) =>
    (...args: readonly unknown[]): void => {
      let text = "";
      for (let index = 0; index < args.length; index += 1) {
        text += (index === 0 ? "" : " ") + errorText(own, args[index]);
      }
      log[level]?.(text);
    };
  const [debug, info] = [as("debug"), as("info")];
  return { log: info, info, debug, trace: debug, warn: as("warn"), error: as("error") };
}

export async function soon(own: Builtins, task: () => void): Promise<void> {
  await new own.Promise<void>((resolve) => resolve());
  task();
}

/** Timers are kept by the process, which knows nothing of them but when they are due. */
export function setTimer(desk: Bootstrap, task: () => void, delay: unknown): number {
  const { own, bounds, tell, timers } = desk;
  if (desk.timersSet >= bounds.timersMax) {
    throw new own.RangeError(`A script may set ${bounds.timersMax} timers.`);
  }
  desk.timersSet += 1;
  timers[desk.timersSet] = task;
  tell("timer", desk.timersSet, typeof delay === "number" && delay > 1 ? delay : 1);
  return desk.timersSet;
}

export function runTimer({ timers }: Bootstrap, id: number): void {
  const task = timers[id];
  delete timers[id];
  task?.();
}
