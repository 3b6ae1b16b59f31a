/**
 * Merges two users' edits of one definition, step by step. A step that only one user changed is taken over; if both
 * changed it, the user resolves the conflict. A merge never loses a step and never adds a start step.
 */
import { connectionError, healEdges, renameIds } from "./edit.ts";
import {
  bodyOf,
  type Definition,
  type Edge,
  freeId,
  type Graph,
  isSameEdge,
  type Step,
  toKey,
  uniqueEdges,
  walkSteps,
} from "./graph.ts";

export type Side = "mine" | "theirs";

export interface Conflict {
  /** The key of a step, or the name of a workflow setting. */
  readonly key: string;
  readonly kind: "step" | "setting";
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly side: Side;
}

export interface Merge {
  readonly definition: Definition;
  readonly conflicts: readonly Conflict[];
}

export interface Versions<T> {
  readonly base: T;
  readonly mine: T;
  readonly theirs: T;
}

export function mergeDefinitions(
  versions: Versions<Definition>,
  choices: ReadonlyMap<string, Side> = new Map(),
): Merge {
  const merger = new Merger(choices);
  const own = keepBoth(versions);
  const { nodes, edges } = merger.graph(own, "");
  const settings = merger.settings(own);
  const definition = { ...settings, nodes, edges } as Definition;
  const { theirs, mine } = versions;
  const same = [theirs, mine].find((one) => isEqual(one, definition));
  return { definition: same ?? definition, conflicts: merger.conflicts };
}

/**
 * Both users may have added a step with the same id, such as `set_values`: mine gets a new id, so that both are
 * kept.
 */
function keepBoth(versions: Versions<Definition>): Versions<Definition> {
  const { base, mine, theirs } = versions;
  const [old, other] = [new Map(walkSteps(base)), new Map(walkSteps(theirs))];
  const twins = [...walkSteps(mine)].filter(([key, step]) => {
    const twin = old.has(key) ? undefined : other.get(key);
    return twin !== undefined && !isEqual(twin, step);
  });
  if (twins.length === 0) return versions;
  const taken = new Set([...other.values()].map(({ id }) => id));
  const ids = new Map<string, string>();
  for (const [, { id }] of twins) {
    ids.set(id, freeId(mine, id.replace(/_\d+$/, ""), new Set([...taken, ...ids.values()])));
  }
  // Only steps that I added or changed can refer to them; the others stay the same objects.
  const renamed = renameIds(mine, ids);
  return { ...versions, mine: { ...mine, ...shareUnchanged(mine, renamed) } };
}

function shareUnchanged(before: Graph, after: Graph): Graph {
  const nodes = after.nodes.map((step, n) => {
    const old = before.nodes[n];
    return old && isEqual(old, step) ? old : step;
  });
  return { nodes, edges: after.edges };
}

class Merger {
  readonly conflicts: Conflict[] = [];
  readonly #choices: ReadonlyMap<string, Side>;

  constructor(choices: ReadonlyMap<string, Side>) {
    this.#choices = choices;
  }

  settings({ base, mine, theirs }: Versions<Definition>): object {
    const names = new Set([base, mine, theirs].flatMap(Object.keys));
    const merged = [...names].flatMap((name) => {
      if (name === "nodes" || name === "edges") return [];
      const of = (one: Definition): unknown => (one as unknown as Record<string, unknown>)[name];
      const versions = { base: of(base), mine: of(mine), theirs: of(theirs) };
      const value = this.#choose(name, "setting", versions);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(merged);
  }

  graph(versions: Versions<Graph>, place: string): Graph {
    const { base, mine, theirs } = versions;
    if (isEqual(mine, theirs) || isEqual(mine, base)) return theirs;
    if (isEqual(theirs, base)) return mine;
    const nodes = this.#steps(versions, place);
    return { nodes, edges: mergeEdges(versions, nodes) };
  }

  #steps({ base, mine, theirs }: Versions<Graph>, place: string): readonly Step[] {
    const [old, own, other] = [base, mine, theirs].map(byId) as [Steps, Steps, Steps];
    const merge = (id: string): Step | undefined =>
      this.#step({ base: old.get(id), mine: own.get(id), theirs: other.get(id) }, toKey(place, id));
    const ids = weave(
      theirs.nodes.map(({ id }) => id),
      mine.nodes.map(({ id }) => id),
    );
    return ids.flatMap((id) => merge(id) ?? []);
  }

  #step(versions: Versions<Step | undefined>, key: string): Step | undefined {
    const { base, mine, theirs } = versions;
    const bodies = [base, mine, theirs].map((step) => step && bodyOf(step));
    const [was, own, other] = bodies;
    if (!mine || !theirs || !own || !other || !was || !base) {
      return this.#choose(key, "step", versions);
    }
    const bare = { base: withBody(base), mine: withBody(mine), theirs: withBody(theirs) };
    const loop = this.#choose(key, "step", bare);
    const body = this.graph({ base: was, mine: own, theirs: other }, key);
    return loop && withBody(loop, body);
  }

  #choose<T>(key: string, kind: Conflict["kind"], { base, mine, theirs }: Versions<T>): T {
    if (isEqual(mine, theirs) || isEqual(mine, base)) return theirs;
    if (isEqual(theirs, base)) return mine;
    // By default, a step removed by one user but changed by the other is kept.
    const side = this.#choices.get(key) ?? (mine === undefined ? "theirs" : "mine");
    this.conflicts.push({ key, kind, base, mine, theirs, side });
    return side === "mine" ? mine : theirs;
  }
}

type Steps = ReadonlyMap<string, Step>;
const byId = ({ nodes }: Graph): Steps => new Map(nodes.map((step) => [step.id, step]));

const NO_BODY: Graph = { nodes: [], edges: [] };

function withBody(loop: Step, body: Graph = NO_BODY): Step {
  return { ...loop, config: { ...loop.config, body } };
}

/** Merges the step order: new steps are placed after their predecessor. */
function weave(theirs: readonly string[], mine: readonly string[]): readonly string[] {
  const woven = [...theirs];
  for (const [n, id] of mine.entries()) {
    if (woven.includes(id)) continue;
    const before = n === 0 ? -1 : woven.indexOf(mine[n - 1] ?? "");
    woven.splice(before + 1, 0, id);
  }
  return woven;
}

const has = (edges: readonly Edge[], edge: Edge): boolean =>
  edges.some((other) => isSameEdge(other, edge));

/** Keeps edges that neither side removed, adds edges of both sides, and bridges removed steps. */
function mergeEdges(
  { base, mine, theirs }: Versions<Graph>,
  nodes: readonly Step[],
): readonly Edge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const isThere = ({ from, to }: Edge): boolean => ids.has(from) && ids.has(to);
  const isGone = ({ from, to }: Edge): boolean => !ids.has(from) || !ids.has(to);
  const gone = [base, mine, theirs]
    .flatMap((one) => one.nodes.map(({ id }) => id))
    .filter((id) => !ids.has(id));
  const isKept = (edge: Edge): boolean =>
    isGone(edge) || (has(mine.edges, edge) && has(theirs.edges, edge)) || !has(base.edges, edge);
  const [first, second] = isEqual(base.edges, theirs.edges)
    ? [mine.edges, theirs.edges]
    : [theirs.edges, mine.edges];
  const candidates = [...first, ...second].filter(isKept);
  const healed = healEdges(uniqueEdges(candidates), new Set(gone)).filter(isThere);
  const edges: Edge[] = [];
  for (const edge of healed) {
    if (connectionError({ nodes, edges }, edge) === undefined) edges.push(edge);
  }
  return adoptOrphans(nodes, edges, [theirs, mine]);
}

/**
 * A step without incoming edges would start with the run: unless it did so on either side, it gets its old
 * predecessor.
 */
function adoptOrphans(
  nodes: readonly Step[],
  edges: Edge[],
  sides: readonly Graph[],
): readonly Edge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { id } of nodes) {
    if (edges.some(({ to }) => to === id)) continue;
    const owners = sides.filter((side) => side.nodes.some((step) => step.id === id));
    const isHead = owners.some((side) => !side.edges.some(({ to }) => to === id));
    if (isHead) continue;
    const into = owners.flatMap((side) => linesInto(side, id));
    const edge = into.find(
      (one) => ids.has(one.from) && connectionError({ nodes, edges }, one) === undefined,
    );
    if (edge) edges.push(edge);
  }
  return edges;
}

/** The nearest incoming edges of a step, ignoring removed steps in between. */
function linesInto(graph: Graph, id: string): readonly Edge[] {
  const lines: Edge[] = [];
  const seen = new Set([id]);
  const pending = [id];
  for (let to = pending.shift(); to !== undefined; to = pending.shift()) {
    for (const edge of graph.edges.filter((one) => one.to === to)) {
      lines.push({ ...edge, to: id });
      if (!seen.has(edge.from)) pending.push(edge.from);
      seen.add(edge.from);
    }
  }
  return lines;
}

/** Compares values as JSON: the order of fields is ignored, and undefined fields count as absent. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, n) => isEqual(item, b[n]));
  }
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isEqual(left[name], right[name]));
}
