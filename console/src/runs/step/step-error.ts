/** Where in an expression an error lies, as far as its message tells. */

export interface MarkedText {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** The part of the text that the message quotes; the whole text where it quotes nothing of it. */
export function markCulprit(text: string, message: string): MarkedText {
  const quoted = Array.from(message.matchAll(/["'`“]([^"'`”]+)["'`”]/g), ([, part]) => part ?? "");
  const named = Array.from(message.matchAll(/\bsteps\.[\w.]+/g), ([part]) => part);
  for (const part of [...quoted, ...named].toSorted((a, b) => b.length - a.length)) {
    const at = text.indexOf(part);
    if (part !== "" && at >= 0) return split(text, at, part.length);
  }
  return { before: "", marked: text, after: "" };
}

/** Marks the expression within the field that it stands in, and in it what the message quotes. */
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

/** What a JSON pointer leads to; undefined where nothing is. */
export function readPointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (found === null || typeof found !== "object") return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** `/values/total` as `values › total`. */
export function pointerWords(pointer: string): string {
  return pointer.split("/").slice(1).join(" › ");
}

/** The message without the field that it begins with, which is shown beside it. */
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

/** What an expression saw: the values of the paths that it names, of the item that the step stood in. */
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

/** A step beside another one, or further out, as expressions find it. */
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
