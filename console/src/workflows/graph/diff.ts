/** The differences between two definitions: the new one, with removed steps added at their old positions. */
import {
  bodyOf,
  type Definition,
  type Edge,
  type Graph,
  isSameEdge,
  type Step,
  toKey,
  walkSteps,
} from "./graph.ts";

export type Mark = "added" | "removed" | "changed";

export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface StepChange {
  readonly key: string;
  readonly mark: Mark;
  readonly step: Step;
  readonly fields: readonly FieldChange[];
}

export interface Difference {
  readonly union: Definition;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly edges: ReadonlyMap<string, Mark>;
  readonly changes: readonly StepChange[];
  /** Differences of the workflow itself: name, trigger and limits. */
  readonly settings: readonly FieldChange[];
}

export const edgeKey = (place: string, { from, to, when = "" }: Edge): string =>
  JSON.stringify([place, from, to, when]);

export function compareDefinitions(before: Definition, after: Definition): Difference {
  const comparison = new Comparison();
  const union = { ...after, ...comparison.unite(before, after, "") };
  const { marks, edges, changes } = comparison;
  const settings = compareFields(settingsOf(before), settingsOf(after));
  return { union, marks, edges, changes, settings };
}

function settingsOf({ nodes: _nodes, edges: _edges, ...settings }: Definition): object {
  return settings;
}

class Comparison {
  readonly marks = new Map<string, Mark>();
  readonly edges = new Map<string, Mark>();
  readonly changes: StepChange[] = [];

  unite(before: Graph, after: Graph, place: string): Graph {
    const old = new Map(before.nodes.map((step) => [step.id, step]));
    const kept = new Set(after.nodes.map(({ id }) => id));
    const nodes = after.nodes.map((step) => this.#compareStep(old.get(step.id), step, place));
    for (const [n, step] of before.nodes.entries()) {
      if (kept.has(step.id)) continue;
      this.#markWhole(step, place, "removed");
      nodes.splice(n, 0, step);
    }
    const has = (edges: readonly Edge[], edge: Edge): boolean =>
      edges.some((other) => isSameEdge(other, edge));
    const gone = before.edges.filter((edge) => !has(after.edges, edge));
    for (const edge of gone) this.edges.set(edgeKey(place, edge), "removed");
    for (const edge of after.edges) {
      if (!has(before.edges, edge)) this.edges.set(edgeKey(place, edge), "added");
    }
    return { nodes, edges: [...after.edges, ...gone] };
  }

  #compareStep(before: Step | undefined, after: Step, place: string): Step {
    if (!before) {
      this.#markWhole(after, place, "added");
      return after;
    }
    const key = toKey(place, after.id);
    const fields = compareFields(before, after);
    if (fields.length > 0) this.#note({ key, mark: "changed", step: after, fields });
    const [was, is] = [bodyOf(before), bodyOf(after)];
    if (!was || !is) return after;
    const known = this.changes.length + this.edges.size;
    const body = this.unite(was, is, key);
    if (this.changes.length + this.edges.size > known) this.marks.set(key, "changed");
    return { ...after, config: { ...after.config, body } };
  }

  #markWhole(step: Step, place: string, mark: Mark): void {
    const key = toKey(place, step.id);
    this.#note({ key, mark, step, fields: [] });
    const body = bodyOf(step);
    for (const [inner] of body ? walkSteps(body, key) : []) this.marks.set(inner, mark);
  }

  #note(change: StepChange): void {
    this.marks.set(change.key, change.mark);
    this.changes.push(change);
  }
}

const BODY = "config.body";

/** Returns the different fields. Loop steps are excluded because they are compared individually. */
export function compareFields(before: unknown, after: unknown, path = ""): readonly FieldChange[] {
  if (path === BODY || isSameJson(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    compareFields(before[name], after[name], path === "" ? name : `${path}.${name}`),
  );
}

/** Ignores the order of fields, because the database does not preserve it. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, n) => isSameJson(one, b[n]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSameJson(a[name], b[name]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
