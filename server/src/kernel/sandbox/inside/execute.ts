/** Carries out a script, in its own context; see `desk.ts`. */
import { createScriptContext } from "./context.ts";
import { truncateText, type Bootstrap, type Builtins, errorText } from "./builtins.ts";

interface Errand {
  readonly input: string;
  readonly facts: string;
}

/** Runs a script to its end and tells what came of it. */
export async function executeScript(
  desk: Bootstrap,
  subject: unknown,
  { input: text, facts }: Errand,
) {
  const { own, tell } = desk;
  let input: unknown;
  let result: Output = { status: "failed", text: "null" };
  let fault: Fault | undefined;
  try {
    input = own.parse(text);
    const execute = executeOf(own, subject);
    const context = createScriptContext(desk, facts);
    result = outputOf(desk, await own.apply(execute, subject, [input, context]));
  } catch (error) {
    fault = faultOf(own, error);
  }
  const current = currentOf(desk, input);
  const changed = current === text ? undefined : current;
  const { status, text: output } = result;
  tell("done", status, output, changed, fault?.name, fault?.message, fault?.stack);
}

/** Tells what an artifact says about itself. */
export function inspectScript(desk: Bootstrap, subject: unknown): void {
  const { own, tell, bounds } = desk;
  try {
    executeOf(own, subject);
    const text = definitionOf(own, subject);
    if (text.length > bounds.definitionMax)
      throw new own.RangeError("The definition is too large.");
    tell("done", "completed", text);
  } catch (error) {
    const { name, message, stack } = faultOf(own, error);
    tell("done", "failed", "null", undefined, name, message, stack);
  }
}

interface Fault {
  name: string;
  message: string;
  stack: string;
}

/** What was thrown, in words. It may be anything, and reading it may do anything. */
export function faultOf(own: Builtins, thrown: unknown): Fault {
  const fault: Fault = { name: "Error", message: "", stack: "" };
  try {
    if (thrown instanceof own.Error) {
      fault.name = truncateText(own, own.String(thrown.name), 100);
      fault.message = truncateText(own, own.String(thrown.message), 4_000);
      fault.stack = truncateText(own, own.String(thrown.stack), 16_000);
    } else {
      fault.message = truncateText(own, errorText(own, thrown), 4_000);
    }
  } catch {
    fault.message ||= "The script threw something that can't be read.";
  }
  return fault;
}

export function executeOf(own: Builtins, subject: unknown): () => unknown {
  const isObject = typeof subject === "object" && subject !== null;
  const execute = isObject && "execute" in subject ? subject.execute : subject;
  // What takes other arguments is the author's affair.
  if (typeof execute === "function") return execute as () => unknown;
  throw new own.TypeError(
    "An artifact needs `export default` of a definition with a function `execute`.",
  );
}

export function definitionOf(own: Builtins, subject: unknown): string {
  if (typeof subject !== "object" || subject === null) return "{}";
  const { id, name, description, version, inputs, outputs } = subject as Record<string, unknown>;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? value : undefined;
  return own.stringify({
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

export function outputOf({ own, bounds }: Bootstrap, value: unknown): Output {
  try {
    const text = own.stringify(value) ?? "null";
    if (text.length <= bounds.outputMax) return { status: "completed", text };
  } catch (error) {
    // Otherwise it is longer than any text can be, or nested deeper than can be followed.
    if (!(error instanceof own.RangeError)) throw error;
  }
  return { status: "too_large", text: "null" };
}

/** The input as the script left it, where that can be told. */
export function currentOf({ own, bounds }: Bootstrap, input: unknown): string | undefined {
  try {
    const text = own.stringify(input);
    return text === undefined || text.length > bounds.inputMax ? undefined : text;
  } catch {
    return undefined;
  }
}
