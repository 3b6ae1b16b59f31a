/** The step of a workflow whose text a chat shows as it comes. */
import type { FieldError } from "#kernel/operation/failure.ts";
import type { Definition } from "../definition.ts";
import type { ChatTrigger } from "./inbound-triggers.ts";

type Node = Definition["nodes"][number];

const MODEL_TYPES = ["llm", "agent"];

/**
 * The step that a chat names; unless it names one, the only step that asks a model, where its text is the answer: a
 * workflow may change or withhold what a model says, and then nobody must have read it before.
 */
export function findStreamedStep(
  { nodes, edges }: Pick<Definition, "nodes" | "edges">,
  { stream }: ChatTrigger,
): string | undefined {
  if (stream !== undefined) return stream;
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

/** True for a body that is the text of a step as it is, alone or in the one field of an object. */
function isText(body: unknown, stepId: string): boolean {
  if (typeof body === "object" && body !== null) {
    const [value, ...others] = Object.values(body);
    return typeof value === "string" && others.length === 0 && isText(value, stepId);
  }
  const [, quoted, plain] = typeof body === "string" ? (WHOLE_TEXT.exec(body) ?? []) : [];
  return (quoted ?? plain) === stepId;
}

const WHOLE_TEXT = /^\s*\{\{\s*steps\.(?:`([\w-]+)`|(\w+))\.output(?:\.text)?\s*\}\}\s*$/;

/** Checks that the step which a chat names is one whose text can be shown. */
export function checkStreamedStep(stream: unknown, nodes: readonly unknown[]): FieldError[] {
  if (typeof stream !== "string") return [];
  const found = nodes.find((node) => (Object(node) as Partial<Node>).id === stream);
  const message = found ? findReason(found as Node) : "is not a node of the workflow";
  return message === undefined ? [] : [{ path: "/stream", message }];
}

/** Why the text of a step can't be shown as it comes. */
function findReason({ type, forEach, config = {} }: Node): string | undefined {
  if (!MODEL_TYPES.includes(type)) return "is not a step of type llm or agent";
  if (forEach) return "is a step that is done for each of several items";
  if (config["schema"] !== undefined) return "is a step whose answer is an object, not a text";
  return config["stream"] === false ? "is a step whose text does not stream" : undefined;
}
