/**
 * Every edit of a definition by key, pointer or palette. Each returns the new definition, or why it is not
 * possible.
 */
import {
  connectionError,
  connectSteps,
  copySteps,
  disconnectSteps,
  insertSteps,
  moveSteps,
  removeSteps,
  renameSteps,
  reorderColumn,
  type Spot,
  wrapInLoop,
} from "../graph/edit.ts";
import {
  branchesOf,
  changeGraph,
  type Definition,
  type Edge,
  findGraph,
  findStep,
  firstBranch,
  freeId,
  type Graph,
  idOf,
  placeOf,
  type Step,
  toKey,
} from "../graph/graph.ts";
import { TRIGGER, type Wire } from "../graph/layout.ts";
import { headsOf, turnStart } from "../graph/starts.ts";

export interface Change {
  readonly label: string;
  readonly after: Definition;
  readonly chosen: readonly string[];
  /** A message for the user, shown with an undo action. */
  readonly note?: string;
}

export interface Refusal {
  readonly refused: string;
}

export type Outcome = Change | Refusal | undefined;

const CLIP = "millrace/steps";

export function nameOf(draft: Definition, key: string): string {
  return findStep(draft, key)?.name ?? idOf(key);
}

function nameAll(draft: Definition, keys: readonly string[]): string {
  return keys.length > 1 ? `${keys.length} steps` : nameOf(draft, keys[0] ?? "");
}

export type Direction = "after" | "before" | "beside";

export interface Place {
  readonly spot: Spot;
  /** The outputs of the step to choose from. */
  readonly ways: readonly string[];
  readonly title: string;
}

/** Returns where a new step goes: after the selected step, before it, or parallel to its successors. */
export function findSpot(draft: Definition, key: string | undefined, how: Direction): Place {
  const step = key === undefined ? undefined : findStep(draft, key);
  const place = placeOf(key ?? "");
  const graph = findGraph(draft, place);
  if (!step || !graph) {
    const before = key === TRIGGER && how !== "beside" ? headsOf(draft) : [];
    return { spot: { place: "", before }, ways: [], title: "First step" };
  }
  const name = step.name ?? step.id;
  if (how === "before") {
    const edges = graph.edges.filter(({ to }) => to === step.id);
    const spot = { place, ...(edges.length > 0 ? { edges } : { before: [step.id] }) };
    return { spot, ways: [], title: `Before ${name}…` };
  }
  const ways = branchesOf(step);
  const isPlain = ways.length === 1 && ways[0] === "error";
  return {
    spot: { place, after: step.id, beside: how === "beside" },
    ways: isPlain ? ["then", "error"] : ways,
    title: how === "beside" ? `Parallel, after ${name}…` : `After ${name}…`,
  };
}

/** A new loop contains one step, whose id must be free too. */
export function addStep(draft: Definition, step: Omit<Step, "id">, spot: Spot): Change {
  const id = freeId(draft, step.name ?? step.type);
  const clip = renameSteps(draft, { nodes: [{ ...structuredClone(step), id }], edges: [] });
  return putSteps(draft, `Add ${step.name ?? step.type}`, clip, spot);
}

function putSteps(draft: Definition, label: string, clip: Graph, spot: Spot): Change {
  const after = insertSteps(draft, clip, spot);
  return { label, after, chosen: clip.nodes.map(({ id }) => toKey(spot.place, id)) };
}

export function deleteSteps(draft: Definition, chosen: readonly string[]): Outcome {
  const keys = chosen.filter((key) => key !== TRIGGER);
  const [first] = keys;
  if (first === undefined) return undefined;
  const place = placeOf(first);
  const graph = findGraph(draft, place);
  if (!graph) return undefined;
  const gone = new Set(keys.map(idOf));
  if (place !== "" && graph.nodes.every(({ id }) => gone.has(id))) {
    return { refused: "A loop needs at least one step. Delete the loop instead." };
  }
  const isLeft = (id: string): boolean => !gone.has(id);
  const near =
    graph.edges.find(({ from, to }) => to === idOf(first) && isLeft(from))?.from ??
    graph.edges.find(({ from, to }) => from === idOf(first) && isLeft(to))?.to;
  const outward = graph.edges.filter(({ from }) => gone.has(from));
  const ways = keys.length === 1 ? new Set(outward.map(({ to }) => to)).size : 1;
  const name = nameAll(draft, keys);

  return {
    label: `Delete ${name}`,
    after: removeSteps(draft, keys),
    chosen: near === undefined ? [] : [toKey(place, near)],
    note: `${name} deleted${ways > 1 ? `. All ${ways} branches after it now run` : ""}`,
  };
}

export function deleteWire(draft: Definition, wire: Wire, chosen: readonly string[]): Outcome {
  if (wire.edges.length === 0) {
    const after = changeGraph(draft, wire.place, (graph) => turnStart(graph, idOf(wire.to), false));
    const note = `${nameOf(draft, wire.to)} is not connected: it does not run`;
    return { label: "Disconnect", after, chosen, note };
  }
  return {
    label: "Disconnect",
    after: disconnectSteps(draft, wire.place, wire.edges),
    chosen,
    note: `${nameOf(draft, wire.to)} no longer follows ${nameOf(draft, wire.from)}`,
  };
}

/** Connects two steps, or removes the edge between them. */
export function linkSteps(draft: Definition, from: string, to: string): Outcome {
  if (from === to || to === TRIGGER) return undefined;
  if (from === TRIGGER) return linkTrigger(draft, to);
  const place = placeOf(from);
  const graph = findGraph(draft, place);
  const step = findStep(draft, from);
  if (placeOf(to) !== place)
    return { refused: "You can't connect steps inside a loop with steps outside." };
  if (!graph || !step) return undefined;
  const there = graph.edges.filter((edge) => edge.from === step.id && edge.to === idOf(to));
  const names = `${nameOf(draft, to)} ${there.length > 0 ? "no longer " : ""}follows`;
  const note = `${names} ${nameOf(draft, from)}`;
  if (there.length > 0) {
    const after = disconnectSteps(draft, place, there);
    return { label: "Disconnect", after, chosen: [from], note };
  }
  const isFree = (when: string): boolean =>
    !graph.edges.some((edge) => edge.from === step.id && edge.when === when);
  const ways = branchesOf(step).filter((way) => way !== "error");
  const when = ways.find(isFree) ?? ways[0];
  const edge: Edge = { from: step.id, to: idOf(to), ...(when !== undefined && { when }) };
  const reason = connectionError(graph, edge);
  if (reason !== undefined) return { refused: reason };
  return { label: "Connect", after: connectSteps(draft, place, edge), chosen: [from], note };
}

/** Connects a step to the trigger, or disconnects it. */
function linkTrigger(draft: Definition, to: string): Outcome {
  const step = findStep(draft, to);
  if (placeOf(to) !== "")
    return { refused: "You can't connect steps inside a loop with steps outside." };
  if (!step) return undefined;
  if (draft.edges.some((edge) => edge.to === to))
    return { refused: "The step follows another step. Disconnect it first." };
  const isStart = step.start === false;
  const after = changeGraph(draft, "", (graph) => turnStart(graph, to, isStart));
  const name = nameOf(draft, to);
  const note = isStart
    ? `${name} follows the trigger`
    : `${name} is not connected: it does not run`;
  return { label: isStart ? "Connect" : "Disconnect", after, chosen: [TRIGGER], note };
}

export function relocateSteps(draft: Definition, keys: readonly string[], spot: Spot): Outcome {
  const after = moveSteps(draft, keys, spot);
  if (after === draft) return { refused: "The steps can't be moved there." };
  const chosen = keys.map((key) => toKey(spot.place, idOf(key)));
  return { label: `Move ${nameAll(draft, keys)}`, after, chosen };
}

/** Swaps a step with its neighbour above or below. */
export function passNeighbour(draft: Definition, key: string, by: 1 | -1): Outcome {
  const place = placeOf(key);
  const graph = findGraph(draft, place);
  const id = idOf(key);
  const other =
    by === 1
      ? graph?.edges.find(({ from }) => from === id)?.to
      : graph?.edges.find(({ to }) => to === id)?.from;
  if (other === undefined) return undefined;
  const without = findGraph(removeSteps(draft, [key]), place);
  const edges = (without?.edges ?? []).filter((edge) =>
    by === 1 ? edge.from === other : edge.to === other,
  );
  const end = by === 1 ? { after: other } : { before: [other] };
  const into = by === 1 ? edges.slice(0, 1) : edges;
  return relocateSteps(draft, [key], { place, ...(into.length > 0 ? { edges: into } : end) });
}

export function swapColumn(draft: Definition, key: string, by: 1 | -1): Outcome {
  const after = reorderColumn(draft, key, by);
  const isSame = findGraph(after, placeOf(key))?.edges === findGraph(draft, placeOf(key))?.edges;
  return isSame ? undefined : { label: `Reorder ${nameOf(draft, key)}`, after, chosen: [key] };
}

export function duplicateSteps(draft: Definition, chosen: readonly string[]): Outcome {
  const last = chosen.at(-1);
  const step = last === undefined ? undefined : findStep(draft, last);
  if (!step || last === undefined) return undefined;
  const clip = renameSteps(draft, copySteps(draft, chosen));
  const spot = { place: placeOf(last), after: step.id, ...firstBranch(step) };
  return putSteps(draft, `Duplicate ${nameAll(draft, chosen)}`, clip, spot);
}

export function loopOver(draft: Definition, chosen: readonly string[]): Outcome {
  if (chosen.length === 0 || chosen.includes(TRIGGER)) return undefined;
  const { root, key } = wrapInLoop(draft, chosen);
  return { label: `Loop over ${nameAll(draft, chosen)}`, after: root, chosen: [key] };
}

/** Copies as text, so that users can paste steps into an e-mail, another workflow or another installation. */
export function toClipboard(draft: Definition, chosen: readonly string[]): string {
  return JSON.stringify({ kind: CLIP, ...copySteps(draft, chosen) }, null, 2);
}

export function pasteSteps(draft: Definition, text: string, key: string | undefined): Outcome {
  const clip = readClip(text);
  if (!clip) return { refused: "The clipboard has no steps. Copy steps first." };
  const step = key === undefined ? undefined : findStep(draft, key);
  const spot: Spot = step
    ? { place: placeOf(key ?? ""), after: step.id, ...firstBranch(step) }
    : { place: "", before: key === TRIGGER ? headsOf(draft) : [] };
  const [first] = clip.nodes;
  const what = clip.nodes.length === 1 ? (first?.name ?? "a step") : `${clip.nodes.length} steps`;
  return putSteps(draft, `Paste ${what}`, renameSteps(draft, clip), spot);
}

function readClip(text: string): Graph | undefined {
  let value: Partial<Graph> | null;
  try {
    value = JSON.parse(text) as Partial<Graph> | null;
  } catch {
    return undefined;
  }
  const { nodes, edges } = value ?? {};
  const isStep = ({ id, type }: Step): boolean =>
    typeof id === "string" && typeof type === "string";
  if (!Array.isArray(nodes) || nodes.length === 0 || !(nodes as Step[]).every(isStep)) {
    return undefined;
  }
  const ids = new Set((nodes as Step[]).map(({ id }) => id));
  const inner = Array.isArray(edges) ? (edges as Edge[]) : [];
  return { nodes, edges: inner.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}
