/** Finds the step whose text a chat streams. */
import type { FieldError } from "#kernel/operation/failure.ts";
import type { Definition } from "../definition.ts";
import type { ChatTrigger } from "./inbound-triggers.ts";

type Node = Definition["nodes"][number];
type Edge = Definition["edges"][number];

const MODEL_TYPES = ["llm", "agent"];

/**
 * The step named by the chat. By default the only model step, if its text is the response: a workflow can change or
 * withhold model output, which then must not be shown before.
 */
export function findStreamedStep(
  { nodes, edges }: Pick<Definition, "nodes" | "edges">,
  { stream }: ChatTrigger,
): string | undefined {
  if (stream !== undefined) return findCheck({ nodes, edges }, stream) ? undefined : stream;
  const [only, ...others] = nodes.filter(({ type }) => MODEL_TYPES.includes(type));
  if (!only || others.length > 0 || findReason(only) !== undefined) return undefined;
  const after = edges.filter(({ from }) => from === only.id).map(({ to }) => to);
  const isAnswer = after.every((id) => {
    const isBetween = edges.some(({ from, to }) => from === id || (to === id && from !== only.id));
    const node = nodes.find((one) => one.id === id);
    return node?.type === "respond" && !isBetween && isText(node.config?.["body"], only.id);
  });
  return isAnswer ? only.id : undefined;
}

/** True for a body that is the unchanged text of a step, alone or as the only field of an object. */
function isText(body: unknown, stepId: string): boolean {
  if (typeof body === "object" && body !== null) {
    const [value, ...others] = Object.values(body);
    return typeof value === "string" && others.length === 0 && isText(value, stepId);
  }
  const [, quoted, plain] = typeof body === "string" ? (WHOLE_TEXT.exec(body) ?? []) : [];
  return (quoted ?? plain) === stepId;
}

const WHOLE_TEXT = /^\s*\{\{\s*steps\.(?:`([\w-]+)`|(\w+))\.output(?:\.text)?\s*\}\}\s*$/;

/** Checks that the text of the step named by a chat can be streamed. The definition can still be invalid. */
export function checkStreamedStep(
  stream: unknown,
  given: { readonly nodes: unknown; readonly edges: unknown },
): FieldError[] {
  if (typeof stream !== "string") return [];
  const nodes = listObjects<Node>(given.nodes);
  const edges = listObjects<Edge>(given.edges);
  const found = nodes.find(({ id }) => id === stream);
  const check = findCheck({ nodes, edges }, stream);
  const message = found
    ? (findReason(found) ?? (check && `is checked by ${check.id} before it becomes the response`))
    : "is not a node of the workflow";
  return message === undefined ? [] : [{ path: "/stream", message }];
}

function listObjects<T>(given: unknown): readonly T[] {
  return Array.isArray(given) ? given.map((one) => Object(one) as T) : [];
}

/** Steps that decide whether the text is sent. */
const CHECK_TYPES = ["approval", "condition", "switch", "fail"];

/**
 * Finds a step that can withhold the text: after the model step, or before the responding step. Steps after the
 * response and steps that end before the model step do not count.
 */
function findCheck(
  { nodes, edges }: { readonly nodes: readonly Node[]; readonly edges: readonly Edge[] },
  stepId: string,
): Node | undefined {
  const answers = new Set(nodes.filter(({ type }) => type === "respond").map(({ id }) => id));
  const [leaving, arriving] = [
    Map.groupBy(edges, ({ from }) => from),
    Map.groupBy(edges, ({ to }) => to),
  ];
  const after = (id: string): string[] =>
    answers.has(id) ? [] : (leaving.get(id) ?? []).map(({ to }) => to);
  const before = (id: string): string[] => (arriving.get(id) ?? []).map(({ from }) => from);
  const behind = reach([stepId], after);
  const earlier = reach([stepId], before);
  const reached = [...behind].filter((id) => answers.has(id));
  const between = new Set([...behind, ...reach(reached, before)]);
  return nodes.find(
    ({ id, type, config }) =>
      id !== stepId &&
      between.has(id) &&
      !earlier.has(id) &&
      (CHECK_TYPES.includes(type) ||
        (MODEL_TYPES.includes(type) && readField(config, "schema") !== undefined)),
  );
}

/** Returns all successors of these steps. */
function reach(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  for (const id of found) for (const one of next(id)) found.add(one);
  return found;
}

/** The reason why the text of a step cannot be streamed. */
function findReason({ type, forEach, config }: Node): string | undefined {
  if (!MODEL_TYPES.includes(type)) return "is not a step of type llm or agent";
  if (forEach) return "is a step that runs for each of several items";
  if (readField(config, "schema") !== undefined)
    return "is a step that returns an object, not text";
  return readField(config, "stream") === false
    ? "is a step that does not stream its text"
    : undefined;
}

/** Reads a field of an unchecked configuration. */
function readField(config: unknown, name: string): unknown {
  return (Object(config) as Readonly<Record<string, unknown>>)[name];
}
