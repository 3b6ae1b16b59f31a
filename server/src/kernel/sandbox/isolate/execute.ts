/** Executes a script in its context; see `bootstrap.ts`. */
import { createScriptContext } from "./script-context.ts";
import { truncateText, type ScriptRuntime, type Builtins, errorText } from "./builtins.ts";

interface RunArguments {
  readonly input: string;
  readonly facts: string;
}

/** Runs a script to its end and sends the result. */
export async function executeScript(
  runtime: ScriptRuntime,
  subject: unknown,
  { input: text, facts }: RunArguments,
) {
  const { builtins, send } = runtime;
  let input: unknown;
  let result: Output = { status: "failed", text: "null" };
  let error: ThrownError | undefined;
  try {
    input = builtins.parse(text);
    const execute = readExecute(builtins, subject);
    const context = createScriptContext(runtime, facts);
    result = serializeOutput(runtime, await builtins.apply(execute, subject, [input, context]));
  } catch (thrown) {
    error = describeThrown(builtins, thrown);
  }
  const current = serializeInput(runtime, input);
  const changed = current === text ? undefined : current;
  const { status, text: output } = result;
  send("done", status, output, changed, error?.name, error?.message, error?.stack);
}

/** Sends the definition that an artifact exports. */
export function inspectScript(runtime: ScriptRuntime, subject: unknown): void {
  const { builtins, send, limits } = runtime;
  try {
    readExecute(builtins, subject);
    const text = readDefinition(builtins, subject);
    if (text.length > limits.definitionMax)
      throw new builtins.RangeError("The definition is too large.");
    send("done", "completed", text);
  } catch (error) {
    const { name, message, stack } = describeThrown(builtins, error);
    send("done", "failed", "null", undefined, name, message, stack);
  }
}

interface ThrownError {
  name: string;
  message: string;
  stack: string;
}

/** Describes a thrown value. It can be anything, and reading its properties can run any code. */
export function describeThrown(builtins: Builtins, thrown: unknown): ThrownError {
  const error: ThrownError = { name: "Error", message: "", stack: "" };
  try {
    if (thrown instanceof builtins.Error) {
      error.name = truncateText(builtins, builtins.String(thrown.name), 100);
      error.message = truncateText(builtins, builtins.String(thrown.message), 4_000);
      error.stack = truncateText(builtins, builtins.String(thrown.stack), 16_000);
    } else {
      error.message = truncateText(builtins, errorText(builtins, thrown), 4_000);
    }
  } catch {
    error.message ||= "The script threw a value that can't be read.";
  }
  return error;
}

export function readExecute(builtins: Builtins, subject: unknown): () => unknown {
  const isObject = typeof subject === "object" && subject !== null;
  const execute = isObject && "execute" in subject ? subject.execute : subject;
  // The author is responsible for the function's parameters.
  if (typeof execute === "function") return execute as () => unknown;
  throw new builtins.TypeError(
    "An artifact needs `export default` of a definition with a function `execute`.",
  );
}

export function readDefinition(builtins: Builtins, subject: unknown): string {
  if (typeof subject !== "object" || subject === null) return "{}";
  const { id, name, description, version, inputs, outputs } = subject as Record<string, unknown>;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? value : undefined;
  return builtins.stringify({
    id: text(id),
    name: text(name),
    description: text(description),
    version: text(version),
    inputs,
    outputs,
  });
}

interface Output {
  readonly status: "completed" | "failed" | "too_large";
  readonly text: string;
}

export function serializeOutput({ builtins, limits }: ScriptRuntime, value: unknown): Output {
  try {
    const text = builtins.stringify(value) ?? "null";
    if (text.length <= limits.outputMax) return { status: "completed", text };
  } catch (error) {
    // Otherwise the text is too long, or the value is nested too deeply.
    if (!(error instanceof builtins.RangeError)) throw error;
  }
  return { status: "too_large", text: "null" };
}

/** The input after the script. Undefined if it is not valid JSON. */
export function serializeInput(
  { builtins, limits }: ScriptRuntime,
  input: unknown,
): string | undefined {
  try {
    const text = builtins.stringify(input);
    return text === undefined || text.length > limits.inputMax ? undefined : text;
  } catch {
    return undefined;
  }
}
