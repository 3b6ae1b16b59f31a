/**
 * Builds a tree of causes and effects. Each item has one parent. Many of a kind under one parent are folded into a fan
 * together with their effects, so that 48 runs with 96 events are three rows.
 */
import { sha256 } from "#kernel/access/crypto.ts";
import type { TracedThing, TraceNode } from "./trace-node.ts";

/** The minimum number of a kind under one parent that become a fan. */
const FAN_MIN = 4;
const SAMPLE_MAX = 3;
const NODES_MAX = 2_000;

export interface TreeView {
  readonly focusIds: readonly string[];
  /** The ids of fans to expand. */
  readonly open: readonly string[];
}

/** The nodes of a tree, parents before their children. Hidden items are omitted, and their children kept. */
export function buildCauseTree(
  things: readonly TracedThing[],
  view: TreeView,
): { readonly nodes: TraceNode[]; readonly truncated: boolean } {
  const tree = new CauseTree(things, view);
  tree.addChildren(null, [ROOT]);
  return { nodes: tree.nodes.slice(0, NODES_MAX), truncated: tree.nodes.length > NODES_MAX };
}

const ROOT = "";

class CauseTree {
  readonly nodes: TraceNode[] = [];
  readonly #children: ReadonlyMap<string, readonly TracedThing[]>;
  readonly #focusIds: ReadonlySet<string>;
  readonly #open: ReadonlySet<string>;
  /** The focus and its ancestors, which are never folded. */
  readonly #pinned = new Set<string>();

  constructor(things: readonly TracedThing[], { focusIds, open }: TreeView) {
    const parents = findParents(things);
    const unhidden = things.filter(({ hidden }) => hidden !== true);
    this.#children = Map.groupBy(
      unhidden.toSorted(compareByTime),
      ({ id }) => parents.get(id) ?? ROOT,
    );
    this.#focusIds = new Set(focusIds);
    this.#open = new Set(open);
    for (const focusId of focusIds.length > FAN_MIN ? [] : focusIds) {
      for (let id: string | undefined = focusId; id; id = parents.get(id)) this.#pinned.add(id);
    }
  }

  /** Adds the effects of some items: the members of a fan, or one item. */
  addChildren(parentId: string | null, causeIds: readonly string[]): void {
    const children = causeIds.flatMap((id) =>
      (this.#children.get(id) ?? []).map((thing) => ({ thing, causeId: id })),
    );
    const groups = Map.groupBy(children, ({ thing }) =>
      this.#pinned.has(thing.id) ? thing.id : thing.fanKey,
    );
    for (const [key, members] of groups) {
      if (this.nodes.length > NODES_MAX) return;
      if (members.length < FAN_MIN) this.#addAll(parentId, members);
      else this.#addFan(parentId, key, members);
    }
  }

  #addAll(parentId: string | null, members: readonly Child[]): void {
    for (const { thing, causeId } of members) {
      if (this.nodes.length > NODES_MAX) return;
      const { parents: _, fanKey: __, hidden: ___, ...node } = thing;
      this.nodes.push({
        ...node,
        parentId,
        ...(causeId !== (parentId ?? ROOT) && causeId !== ROOT && { causeId }),
        ...(this.#focusIds.has(thing.id) && { focus: true }),
      });
      this.addChildren(thing.id, [thing.id]);
    }
  }

  #addFan(parentId: string | null, key: string, members: readonly Child[]): void {
    const [first] = members;
    const last = members.at(-1);
    if (!first || !last) return;
    const { kind, type, label, ofId, at } = first.thing;
    const id = `fan_${sha256(`${parentId} ${key}`).toString("hex").slice(0, 24)}`;
    const open = this.#open.has(id);
    const statuses: Record<string, number> = {};
    for (const { thing } of members) {
      if (thing.status !== null) statuses[thing.status] = (statuses[thing.status] ?? 0) + 1;
    }
    const sample = members
      .slice(0, SAMPLE_MAX)
      .map(({ thing }) => ({ id: thing.id, label: thing.label }));
    const fan = { kind, count: members.length, statuses, sample, lastAt: last.thing.at, open };
    const of = ofId === undefined ? { label: type } : { label, ofId };
    this.nodes.push({ id, parentId, kind: "fan", type, ...of, status: null, at, fan });
    const causeIds = members.map(({ thing }) => thing.id);
    if (open) this.#addAll(id, members);
    else this.addChildren(id, causeIds);
  }
}

interface Child {
  readonly thing: TracedThing;
  readonly causeId: string;
}

/** The nearest visible parent of each item. Undefined if that would create a cycle. */
function findParents(things: readonly TracedThing[]): ReadonlyMap<string, string> {
  const known = new Map(things.map((thing) => [thing.id, thing]));
  const direct = new Map<string, string>();
  for (const { id, parents } of things) {
    const parent = parents.find(
      (candidate) => known.has(candidate) && !leadsTo(direct, candidate, id),
    );
    if (parent !== undefined) direct.set(id, parent);
  }
  const visible = new Map<string, string>();
  for (const { id } of things) {
    let parent = direct.get(id);
    while (parent !== undefined && known.get(parent)?.hidden) parent = direct.get(parent);
    if (parent !== undefined) visible.set(id, parent);
  }
  return visible;
}

function leadsTo(parents: ReadonlyMap<string, string>, from: string, to: string): boolean {
  for (let at: string | undefined = from; at !== undefined; at = parents.get(at)) {
    if (at === to) return true;
  }
  return false;
}

/** Events sort by id like the log, others by time. */
function compareByTime(left: TracedThing, right: TracedThing): number {
  if (left.kind === "event" && right.kind === "event") return left.id < right.id ? -1 : 1;
  if (left.at !== right.at) return left.at < right.at ? -1 : 1;
  return left.id < right.id ? -1 : 1;
}
