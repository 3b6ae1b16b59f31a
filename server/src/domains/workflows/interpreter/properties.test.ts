import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePlan, type Edge, type GraphDefinition, type Node } from "../definition/index.ts";
import { decide, nodeAt, outputOf, resetFrom, type StepRecord } from "./index.ts";
import { anyGraph, type Behaviour, behaviours } from "./testing/chance.ts";
import { types } from "./testing/notation.ts";
import { isLive, Simulation } from "./testing/simulation.ts";

type Behave = (path: string, node: Node) => Behaviour;

interface Expected {
  readonly status: "completed" | "failed" | "skipped";
  readonly branch?: string | undefined;
  readonly output?: unknown;
}

/**
 * The rules once more, as plainly as can be: from the definition, with no order of events, no
 * journal and no plan. Each node asks those before it. Failures that nobody handles are null.
 */
function expectedOf(graph: GraphDefinition, prefix: string, behave: Behave) {
  const found = new Map<string, Expected | null>();
  const inside = new Map<string, Expected>();
  const isTaken = ({ from, when }: Edge): boolean => {
    const source = resultOf(from);
    if (source === null || source.status === "skipped") return false;
    if (source.status === "failed") return when === "error";
    return when === undefined || when === source.branch;
  };
  const resultOf = (id: string): Expected | null => {
    if (!found.has(id)) found.set(id, compute(graph.nodes.find((node) => node.id === id)!));
    return found.get(id)!;
  };
  const compute = (node: Node): Expected | null => {
    const incoming = graph.edges.filter(({ to }) => to === node.id);
    // Nothing follows a failure that nobody handles, not even the other ways to a node.
    if (incoming.some(({ from }) => resultOf(from) === null)) return null;
    if (incoming.length > 0 && !incoming.some(isTaken)) return { status: "skipped" };
    const { failures, branch } = behave(prefix + node.id, node);
    const failed = failures >= (node.retry?.maxAttempts ?? 1);
    const output = failed ? undefined : node.type === "loop" ? iterate(node) : prefix + node.id;
    if (output !== undefined) return { status: "completed", branch, output };
    if (node.onError === "continue") return { status: "completed", output: null };
    return node.onError === "branch" ? { status: "failed", branch: "error" } : null;
  };
  const iterate = (node: Node): unknown => {
    const path = prefix + node.id;
    const body = node.config!["body"] as GraphDefinition;
    const made = Array.from({ length: behave(path, node).items }, (_, index) =>
      expectedOf(body, `${path}[${index}].`, behave),
    );
    if (made.some(({ output }) => output === undefined)) return undefined;
    for (const one of made) for (const [key, value] of one.steps) inside.set(key, value);
    return made.map(({ output }) => output);
  };
  const results = graph.nodes.map(({ id }) => [id, resultOf(id)] as const);
  const fails = results.some(([, result]) => result === null);
  const sinks = results.filter(
    ([id, result]) =>
      result?.status === "completed" && !graph.edges.some(({ from }) => from === id),
  );
  const outputs = Object.fromEntries(sinks.map(([id, result]) => [id, result!.output]));
  const output = sinks.length === 0 ? null : sinks.length === 1 ? sinks[0]![1]!.output : outputs;
  const steps = new Map<string, Expected>(inside);
  for (const [id, result] of results) if (result) steps.set(prefix + id, result);
  return { output: fails ? undefined : output, steps };
}

function setUp(graph: GraphDefinition, seed: number, failing: "never" | "handled" | "any") {
  const plan = compilePlan(graph, types);
  const behave = behaviours(seed, failing);
  const expected = expectedOf(graph, "", (path) => behave(path, nodeAt(plan.graph, path)!));
  return { plan, behave, expected };
}

/** What the journal says of steps that are not inside of a loop that failed. */
function resultsIn(journal: ReadonlyMap<string, StepRecord>): Record<string, Expected> {
  const isCounted = (path: string): boolean =>
    [...path.matchAll(/\[\d+\]\./g)].every(({ index }) => {
      const loop = journal.get(path.slice(0, index))!;
      return loop.status === "completed" && loop.error === undefined;
    });
  return Object.fromEntries(
    [...journal]
      .filter(([path]) => isCounted(path))
      .map(([path, { status, branch, output }]) => [path, { status, branch, output } as Expected]),
  );
}

const order = fc.record({ seed: fc.integer(), prompt: fc.integer({ min: 0, max: 10 }) });

describe("for all graphs, behaviours and orders of events", () => {
  test("a run without failures that nobody handles ends as the rules say, whatever the order", () => {
    const seen = { skipped: 0, failed: 0, loops: 0 };
    const property = fc.property(anyGraph(), fc.integer(), order, (graph, seed, when) => {
      const { plan, behave, expected } = setUp(graph, seed, "handled");
      const simulation = new Simulation(plan, behave, when);
      const over = simulation.run();
      expect(over).toEqual({
        status: expected.output === undefined ? "failed" : "completed",
        ...(expected.output === undefined && { path: expect.any(String) }),
      });
      if (expected.output === undefined) return;
      expect(resultsIn(simulation.journal)).toEqual(Object.fromEntries(expected.steps));
      expect(outputOf(plan, simulation.journal)).toEqual(expected.output);
      for (const { status } of expected.steps.values()) {
        if (status !== "completed") seen[status] += 1;
      }
      seen.loops += [...simulation.journal.keys()].filter((path) => path.includes("[")).length;
    });
    fc.assert(property, { numRuns: 1_500 });
    // Worth something only when all that can happen did so often.
    expect(Math.min(seen.skipped, seen.failed, seen.loops)).toBeGreaterThan(200);
  });

  test("a run with any failures fails exactly when the rules say so, and leaves nothing under way", () => {
    const seen = { completed: 0, failed: 0, cancelled: 0 };
    const property = fc.property(anyGraph(), fc.integer(), order, (graph, seed, when) => {
      const { plan, behave, expected } = setUp(graph, seed, "any");
      const simulation = new Simulation(plan, behave, when);
      const over = simulation.run();
      seen[over.status] += 1;
      expect(over.status).toBe(expected.output === undefined ? "failed" : "completed");
      const { journal } = simulation;
      expect([...journal.values()].filter(({ status }) => isLive(status))).toEqual([]);
      if (over.status !== "failed") return;
      const failed = journal.get(over.path!)!;
      expect(failed).toMatchObject({ status: "failed", error: { code: "test" } });
      // What did happen is what the rules say.
      for (const [path, result] of Object.entries(resultsIn(journal))) {
        const isBroken = result.status === "failed" && result.branch === undefined;
        if (isBroken || String(result.status) === "cancelled") continue;
        expect(result).toEqual(expected.steps.get(path));
      }
    });
    fc.assert(property, { numRuns: 1_500 });
    expect(Math.min(seen.completed, seen.failed)).toBeGreaterThan(200);
  });

  test("a run that is stopped ends as it was told, and leaves nothing under way", () => {
    let stopped = 0;
    const as = fc.constantFrom("cancelled" as const, "failed" as const);
    const property = fc.property(
      anyGraph(),
      fc.integer(),
      order,
      fc.record({ after: fc.nat(20), as }),
      (graph, seed, when, stop) => {
        const { plan, behave } = setUp(graph, seed, "any");
        const simulation = new Simulation(plan, behave, when);
        const over = simulation.run(stop);
        const { journal } = simulation;
        expect([...journal.values()].filter(({ status }) => isLive(status))).toEqual([]);
        // It may have been over before.
        const again = decide(plan, stop.as === "failed" ? {} : { stop: stop.as }, journal);
        if (again.over?.status === over.status && over.status === stop.as) stopped += 1;
      },
    );
    fc.assert(property, { numRuns: 1_000 });
    expect(stopped).toBeGreaterThan(200);
  });

  test("after a retry, with the cause gone, a run ends as if nothing had happened", () => {
    let retried = 0;
    const from = fc.record({ kind: fc.constantFrom("failed", "start", "step"), at: fc.nat() });
    const stop = fc.option(
      fc.record({ after: fc.nat(20), as: fc.constant("cancelled" as const) }),
      { nil: undefined },
    );
    const property = fc.property(
      anyGraph(),
      fc.integer(),
      order,
      fc.record({ from, stop }),
      (graph, seed, when, { from: choice, stop: stopped }) => {
        const plan = compilePlan(graph, types);
        const calm = behaviours(seed, "never");
        const wild = behaviours(seed, "any");
        // The behaviours agree in all but failures.
        let broken = true;
        const behave: typeof calm = (path, node) => (broken ? wild : calm)(path, node);
        const simulation = new Simulation(plan, behave, when);
        const over = simulation.run(stopped);
        if (over.status === "completed") return;
        retried += 1;
        broken = false;
        const { journal } = simulation;
        const paths = [...journal.keys()];
        const step = paths[choice.at % Math.max(1, paths.length)] ?? "failed";
        const kept = new Map(journal);
        const reset = resetFrom(plan, journal, choice.kind === "step" ? step : choice.kind)!;
        simulation.retry(reset);
        expect(simulation.run()).toEqual({ status: "completed" });
        if (choice.kind !== "failed") return;
        // What had completed did not happen again, nor was it forgotten.
        for (const [path, record] of kept) {
          if (record.status === "completed") expect(journal.get(path)).toBe(record);
        }
      },
    );
    fc.assert(property, { numRuns: 1_500 });
    expect(retried).toBeGreaterThan(300);
  });
});
