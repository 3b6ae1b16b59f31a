/** n8n sticky notes become notes of steps. */
import type { Node } from "../definition/index.ts";
import { type N8nWorkflow, toText } from "./n8n-workflow.ts";

const NOTE_CHARACTERS_MAX = 2_000;
const DESCRIPTION_CHARACTERS_MAX = 10_000;
const NODE_SIZE = 100;

/** A sticky note around a few nodes becomes the note of the first one. Other notes become part of the description. */
export function attachNotes({ nodes }: N8nWorkflow, ids: ReadonlyMap<string, string>) {
  const byStep = new Map<string, string>();
  const rest: string[] = [];
  for (const { parameters, position, type } of nodes) {
    if (type !== "stickyNote") continue;
    const { content, width = 240, height = 160 } = parameters;
    const text = toText(content).trim();
    if (text === "") continue;
    const [x, y] = position;
    const inside = nodes.filter(
      (node) =>
        ids.has(node.name) &&
        node.position[0] >= x - NODE_SIZE / 2 &&
        node.position[0] <= x + Number(width) &&
        node.position[1] >= y - NODE_SIZE / 2 &&
        node.position[1] <= y + Number(height),
    );
    const [first] = inside.toSorted((a, b) => a.position[0] - b.position[0]);
    const step = first && inside.length <= 4 ? ids.get(first.name) : undefined;
    if (step !== undefined && !byStep.has(step)) byStep.set(step, text);
    else rest.push(text);
  }
  return { byStep, rest: rest.join("\n\n").slice(0, DESCRIPTION_CHARACTERS_MAX) };
}

/** Adds a note to a step without one. */
export function withNote(node: Node, note: string | undefined): Node {
  return note === undefined || node.note !== undefined
    ? node
    : { ...node, note: note.slice(0, NOTE_CHARACTERS_MAX) };
}
