/** The `context` that a script is given; see `desk.ts`. */
import {
  type CallAnswer,
  truncateText,
  type Bootstrap,
  type Builtins,
  errorText,
} from "./builtins.ts";

export function createScriptContext(desk: Bootstrap, facts: string): unknown {
  const { own, tell } = desk;
  const { freeze } = own;
  // In a script it is the author who passes arguments, and the host that checks them.
  const via =
    (method: string) =>
    (...args: readonly unknown[]) =>
      callHost(desk, method, args);
  return freeze({
    ...frozen(own, own.parse(facts)),
    tables: freeze({
      get: via("tables.get"),
      list: via("tables.list"),
      create: via("tables.create"),
      update: via("tables.update"),
      delete: via("tables.delete"),
    }),
    connectors: freeze({ invoke: via("connectors.invoke") }),
    secrets: freeze({ get: via("secrets.get") }),
    events: freeze({ publish: via("events.publish") }),
    http: freeze({ request: via("http.request") }),
    log: createScriptLog(desk),
    abort: (reason: unknown = "") => {
      const text = truncateText(own, errorText(own, reason), 4_000);
      if (!desk.isAborted) tell("abort", text);
      desk.isAborted = true;
      const error = new own.Error("The script aborted itself.");
      own.defineProperty(error, "name", { value: "ScriptAborted" });
      throw error;
    },
    addMessage: (level: unknown, text: unknown) => {
      writeLog(
        desk,
        "message",
        truncateText(own, errorText(own, level), 100),
        errorText(own, text),
      );
    },
    ui: freeze({
      set: (field: unknown, change: unknown) => {
        writeLog(desk, "ui", errorText(own, field), own.stringify(change) ?? "null");
      },
    }),
  });
}

/** `log(level, message, metadata)`, and `log.info(message, metadata)` and the like. */
export function createScriptLog(desk: Bootstrap): unknown {
  const { own } = desk;
  const as = (level: string) => (message: unknown, metadata?: unknown) => {
    const json = metadata === undefined ? undefined : own.stringify(metadata);
    const text = errorText(own, message);
    writeLog(desk, level, text, json);
  };
  const levels = { debug: as("debug"), info: as("info"), warn: as("warn"), error: as("error") };
  const log = (level: unknown, message: unknown, metadata?: unknown): void => {
    const known = level === "debug" || level === "warn" || level === "error" ? level : "info";
    levels[known](message, metadata);
  };
  return own.freeze(own.assign(log, levels));
}

/** Writes something down, unless it has written enough. */
export function writeLog(desk: Bootstrap, kind: string, a: string, b: string | undefined): void {
  const { bounds, tell } = desk;
  if (desk.notes > bounds.notesMax) return;
  desk.notes += 1;
  desk.notesSize += a.length + (b === undefined ? 0 : b.length);
  if (desk.notes <= bounds.notesMax && desk.notesSize <= bounds.notesSizeMax) {
    return tell(kind, a, b);
  }
  desk.notes = bounds.notesMax + 1;
  tell("warn", "The script wrote too much; the rest is left out.");
}

/** Asks the platform for something. It is asynchronous so that an error knows who waits for it. */
export async function callHost(
  desk: Bootstrap,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const { own, bounds } = desk;
  const text = own.stringify(args) ?? "[]";
  desk.traffic += text.length;
  if (text.length > bounds.callMax || desk.traffic > bounds.trafficMax) {
    throw callError(own, { code: "too_large", message: `${method} was given too much.` });
  }
  if (desk.calls >= bounds.callsMax) {
    const message = `A script may make ${bounds.callsMax} calls.`;
    throw callError(own, { code: "too_many_calls", message });
  }
  desk.calls += 1;
  const id = desk.calls;
  const { value, failure } = await new own.Promise<CallAnswer>((resolve) => {
    desk.waiting[id] = resolve;
    desk.tell("call", id, method, text);
  });
  if (failure !== undefined) throw callError(own, own.parse(failure));
  return value === undefined ? undefined : own.parse(value);
}

/** Hands an answer to whoever waits for it. */
export function handleReply(
  { waiting, own }: Bootstrap,
  id: number,
  { value, failure }: CallAnswer,
): void {
  const resolve = waiting[id];
  delete waiting[id];
  // Without a prototype, nobody's `then` is in the way.
  const reply: { -readonly [Key in keyof CallAnswer]: CallAnswer[Key] } = own.create(null);
  reply.value = value;
  reply.failure = failure;
  resolve?.(reply);
}

/** The error of a call, with the `code` and what else the platform says of it. */
export function callError(own: Builtins, said: Readonly<Record<string, unknown>>): Error {
  const error = new own.Error(own.String(said["message"]));
  const { code, status, errors } = said;
  return own.assign(error, { code, status, errors });
}

export function frozen<Value>(own: Builtins, value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  const keys = own.ownKeys(value);
  for (let index = 0; index < keys.length; index += 1) {
    // Own keys of the value, that is.
    frozen(own, value[keys[index] as keyof Value]);
  }
  return own.freeze(value);
}
