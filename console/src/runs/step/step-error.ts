/** Locates an error within an expression, based on its message. */

export interface MarkedText {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** Returns the part of the text that the message quotes, or the complete text. */
export function markCulprit(text: string, message: string): MarkedText {
  const quoted = Array.from(message.matchAll(/["'`“]([^"'`”]+)["'`”]/g), ([, part]) => part ?? "");
  const named = Array.from(message.matchAll(/\bsteps\.[\w.]+/g), ([part]) => part);
  for (const part of [...quoted, ...named].toSorted((a, b) => b.length - a.length)) {
    const at = text.indexOf(part);
    if (part !== "" && at >= 0) return split(text, at, part.length);
  }
  return { before: "", marked: text, after: "" };
}

/** Marks the expression within its field, and within it the part that the message quotes. */
export function markField(
  field: string,
  expression: string | undefined,
  message: string,
): MarkedText {
  const at = expression === undefined ? -1 : field.indexOf(expression);
  if (expression === undefined || at < 0) return markCulprit(expression ?? field, message);
  const inner = markCulprit(expression, message);
  return {
    before: field.slice(0, at) + inner.before,
    marked: inner.marked,
    after: inner.after + field.slice(at + expression.length),
  };
}

const split = (text: string, at: number, length: number): MarkedText => ({
  before: text.slice(0, at),
  marked: text.slice(at, at + length),
  after: text.slice(at + length),
});

/** Resolves a JSON pointer; undefined if it does not exist. */
export function readPointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (found === null || typeof found !== "object") return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** Converts `/values/total` to `values › total`. */
export function pointerWords(pointer: string): string {
  return pointer.split("/").slice(1).join(" › ");
}

/** Removes the field name from the start of the message, because the field is shown next to it. */
export function plainMessage(message: string): string {
  return message.replace(/^\/[\w/~-]*:\s+/, "");
}

interface SeenValue {
  readonly path: string;
  readonly value: unknown;
}

interface Outputs {
  readonly trigger: unknown;
  readonly outputs: ReadonlyMap<string, { readonly output?: unknown }>;
}

const REFERENCE = /\b(?:trigger|steps\.\w+\.output)(?:\.\w+)*/g;
const SEEN_MAX = 6;

/** Returns the values of the paths in an expression, for the loop item of the step. */
export function listSeenValues(
  expression: string,
  stepId: string,
  { trigger, outputs }: Outputs,
): readonly SeenValue[] {
  const paths = [...new Set(expression.match(REFERENCE))].slice(0, SEEN_MAX);
  return paths.flatMap((path) => {
    const [first, id = "", , ...rest] = path.split(".");
    if (first === "trigger") return [{ path, value: readPath(trigger, path.split(".").slice(1)) }];
    const step = findBeside(outputs, stepId, id);
    return step ? [{ path, value: readPath(step.output, rest) }] : [];
  });
}

/** Finds a step in the same graph or in an outer one, like expressions do. */
function findBeside(
  steps: Outputs["outputs"],
  stepId: string,
  id: string,
): { readonly output?: unknown } | undefined {
  for (let place = stepId; ;) {
    place = place.slice(0, Math.max(0, place.lastIndexOf(".")));
    const found = steps.get(place === "" ? id : `${place}.${id}`);
    if (found || place === "") return found;
  }
}

const readPath = (value: unknown, names: readonly string[]): unknown =>
  readPointer(value, names.map((name) => `/${name}`).join(""));
