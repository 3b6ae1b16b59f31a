/** The `context` argument of a script; see `bootstrap.ts`. */
import { createFiles } from "./files.ts";
import { callHost } from "./host-call.ts";
import {
  type CallAnswer,
  truncateText,
  type ScriptRuntime,
  type Builtins,
  errorText,
} from "./builtins.ts";

export function createScriptContext(runtime: ScriptRuntime, facts: string): unknown {
  const { builtins, send } = runtime;
  const { freeze } = builtins;
  // The script's author passes the arguments, and the host checks them.
  const hostMethod =
    (method: string) =>
    (...args: readonly unknown[]) =>
      callHost(runtime, method, args);
  return freeze({
    ...deepFreeze(builtins, builtins.parse(facts)),
    tables: freeze({
      get: hostMethod("tables.get"),
      list: hostMethod("tables.list"),
      create: hostMethod("tables.create"),
      update: hostMethod("tables.update"),
      delete: hostMethod("tables.delete"),
    }),
    connectors: freeze({ invoke: hostMethod("connectors.invoke") }),
    secrets: freeze({ get: hostMethod("secrets.get") }),
    variables: freeze({ get: hostMethod("variables.get") }),
    events: freeze({ publish: hostMethod("events.publish") }),
    http: freeze({ request: hostMethod("http.request") }),
    files: createFiles(runtime),
    log: createScriptLog(runtime),
    abort: (reason: unknown = "") => {
      const text = truncateText(builtins, errorText(builtins, reason), 4_000);
      if (!runtime.isAborted) send("abort", text);
      runtime.isAborted = true;
      const error = new builtins.Error("The script aborted itself.");
      builtins.defineProperty(error, "name", { value: "ScriptAborted" });
      throw error;
    },
    addMessage: (level: unknown, text: unknown) => {
      writeLog(
        runtime,
        "message",
        truncateText(builtins, errorText(builtins, level), 100),
        errorText(builtins, text),
      );
    },
    ui: freeze({
      set: (field: unknown, change: unknown) => {
        writeLog(runtime, "ui", errorText(builtins, field), builtins.stringify(change) ?? "null");
      },
    }),
  });
}

/** `log(level, message, metadata)`, and methods such as `log.info(message, metadata)`. */
export function createScriptLog(runtime: ScriptRuntime): unknown {
  const { builtins } = runtime;
  const as = (level: string) => (message: unknown, metadata?: unknown) => {
    const json = metadata === undefined ? undefined : builtins.stringify(metadata);
    const text = errorText(builtins, message);
    writeLog(runtime, level, text, json);
  };
  const levels = { debug: as("debug"), info: as("info"), warn: as("warn"), error: as("error") };
  const log = (level: unknown, message: unknown, metadata?: unknown): void => {
    const known = level === "debug" || level === "warn" || level === "error" ? level : "info";
    levels[known](message, metadata);
  };
  return builtins.freeze(builtins.assign(log, levels));
}

/** Sends a log entry, message or UI change to the host, up to the limits. */
export function writeLog(
  runtime: ScriptRuntime,
  kind: string,
  a: string,
  b: string | undefined,
): void {
  const { limits, send } = runtime;
  if (runtime.noteCount > limits.notesMax) return;
  runtime.noteCount += 1;
  runtime.noteSize += a.length + (b === undefined ? 0 : b.length);
  if (runtime.noteCount <= limits.notesMax && runtime.noteSize <= limits.notesSizeMax) {
    return send(kind, a, b);
  }
  runtime.noteCount = limits.notesMax + 1;
  send("warn", "The script wrote too many log lines. Later lines are omitted.");
}

/** Resolves the host call of a reply. */
export function handleReply(
  { pendingCalls, builtins }: ScriptRuntime,
  id: number,
  { value, failure }: CallAnswer,
): void {
  const resolve = pendingCalls[id];
  delete pendingCalls[id];
  // Without a prototype, so that no inherited `then` is called.
  const reply: { -readonly [Key in keyof CallAnswer]: CallAnswer[Key] } = builtins.create(null);
  reply.value = value;
  reply.failure = failure;
  resolve?.(reply);
}

export function deepFreeze<Value>(builtins: Builtins, value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  const keys = builtins.ownKeys(value);
  for (let index = 0; index < keys.length; index += 1) {
    // The keys belong to the value itself.
    deepFreeze(builtins, value[keys[index] as keyof Value]);
  }
  return builtins.freeze(value);
}
