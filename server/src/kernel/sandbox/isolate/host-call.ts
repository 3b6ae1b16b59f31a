/** Calls that leave the sandbox; see `bootstrap.ts`. */
import type { Builtins, CallAnswer, ScriptRuntime } from "./builtins.ts";

/** Makes a host call. It is asynchronous so that an error's stack names the caller that awaits it. */
export async function callHost(
  runtime: ScriptRuntime,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const { builtins, limits } = runtime;
  const text = builtins.stringify(args) ?? "[]";
  // File content has a separate limit, which the host enforces.
  if (builtins.apply(builtins.slice, method, [0, 6]) !== "files.")
    runtime.trafficSize += text.length;
  if (text.length > limits.callMax || runtime.trafficSize > limits.trafficMax) {
    throw callError(builtins, {
      code: "too_large",
      message: `The arguments of ${method} are too large.`,
    });
  }
  if (runtime.callCount >= limits.callsMax) {
    const message = `A script can make at most ${limits.callsMax} calls.`;
    throw callError(builtins, { code: "too_many_calls", message });
  }
  runtime.callCount += 1;
  const id = runtime.callCount;
  const { value, failure } = await new builtins.Promise<CallAnswer>((resolve) => {
    runtime.pendingCalls[id] = resolve;
    runtime.send("call", id, method, text);
  });
  if (failure !== undefined) throw callError(builtins, builtins.parse(failure));
  return value === undefined ? undefined : builtins.parse(value);
}

/** Creates an error with the `code`, `status` and field errors of a host call. */
export function callError(builtins: Builtins, content: Readonly<Record<string, unknown>>): Error {
  const error = new builtins.Error(builtins.String(content["message"]));
  const { code, status, errors } = content;
  return builtins.assign(error, { code, status, errors });
}
