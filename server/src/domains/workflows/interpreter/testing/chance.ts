import fc from "fast-check";
import type { Edge, Node, PlanNode } from "../../definition/index.ts";
import type { TestGraph } from "./notation.ts";

/** Graphs with up to seven nodes, with random edges, labels, rules and loops. */
export function anyGraph(depth = 0): fc.Arbitrary<TestGraph> {
  const node = fc.record({
    type: fc.constantFrom("set", "set", "condition", "switch", ...(depth < 2 ? ["loop"] : [])),
    onError: fc.constantFrom("fail", "continue", "branch"),
    maxAttempts: fc.integer({ min: 0, max: 3 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    body: depth < 2 ? anyGraph(depth + 1) : fc.constant(undefined),
  });
  const size = depth === 0 ? 7 : 3;
  const pairs = Array.from({ length: size }, (_, to) =>
    Array.from({ length: to }, (__, from) => [from, to] as const),
  ).flat();
  return fc
    .record({
      nodes: fc.array(node, { minLength: 1, maxLength: size }),
      edges: fc.subarray(pairs),
      labels: fc.infiniteStream(fc.nat(5)),
      order: fc.infiniteStream(fc.nat(100)),
    })
    .map(({ nodes, edges, labels, order }) => {
      const idOf = (index: number) => `${"abc"[depth]}${index}`;
      const made = nodes.map(({ type, onError, maxAttempts, concurrency, body }, index): Node => {
        const retry = maxAttempts > 0 && { retry: { maxAttempts, backoffMs: 0 } };
        const config = type === "loop" ? { concurrency, body } : {};
        return {
          id: idOf(index),
          type,
          onError: onError as "fail",
          ...retry,
          config: type === "switch" ? { cases: ["x", "y"] } : config,
        };
      });
      const joined = edges
        .filter(([, to]) => to < nodes.length)
        .map(([from, to]): Edge => {
          const when = pick([undefined, undefined, ...labelsOf(made[from]!)], labels.next().value);
          return { from: idOf(from), to: idOf(to), ...(when !== undefined && { when }) };
        });
      const keyed = made.map((one) => [order.next().value as number, one] as const);
      return { nodes: keyed.toSorted(([a], [b]) => a - b).map(([, one]) => one), edges: joined };
    });
}

function labelsOf({ type, onError }: Node): string[] {
  const branches = { condition: ["true", "false"], switch: ["x", "y", "default"] }[type] ?? [];
  return onError === "branch" ? [...branches, "error"] : branches;
}

export function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length]!;
}

/** The behaviour of a step. A step always behaves in the same way. */
export interface Behaviour {
  /** The number of failing first attempts. */
  readonly failures: number;
  readonly branch: string | undefined;
  readonly items: number;
}

/** Random behaviours. `failing` sets how often steps fail, and whether permanently. */
export function behaviours(seed: number, failing: "never" | "handled" | "any") {
  return (path: string, node: PlanNode): Behaviour => {
    const random = randomFrom(seed ^ hashOf(path));
    const branches = labelsOf({ id: "", type: node.type.type }).filter(
      (label) => label !== "error",
    );
    const failures = random(4) === 0 ? random(4) : 0;
    const forGood = failures >= (node.retry?.maxAttempts ?? 1);
    const allowed =
      failing === "any" || (failing === "handled" && !(forGood && node.onError === "fail"));
    return {
      failures: allowed ? failures : 0,
      branch: branches.length > 0 ? pick(branches, random(100)) : undefined,
      items: random(4),
    };
  };
}

/** A small generator, because the order of events must depend only on the seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
}
