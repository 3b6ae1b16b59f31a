import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { compilePlan, type Edge, type GraphDefinition, type Node } from "../definition/index.ts";
import { nodeAt, runOutput, type RunResult, resetFrom, type StepRecord } from "./index.ts";
import { anyGraph, type Behaviour, behaviours } from "./testing/chance.ts";
import { types } from "./testing/notation.ts";
import { isLive, Simulation } from "./testing/simulation.ts";

type Behave = (path: string, node: Node) => Behaviour;

interface Expected {
  readonly status: "completed" | "failed" | "skipped" | "cancelled";
  readonly branch?: string | undefined;
  readonly output?: unknown;
}

/**
 * Evaluates the definition as a reference implementation, without event order, journal or plan. Unhandled
 * failures are null.
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
    // Nothing follows an unhandled failure, even if other edges lead to the node.
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

/** The journal results of steps outside of failed loops. */
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

/** Checks that the run ended as the rules predict. */
function checkEnd(
  { plan, expected }: ReturnType<typeof setUp>,
  { journal }: Simulation,
  over: RunResult,
): void {
  expect(over.status).toBe(expected.output === undefined ? "failed" : "completed");
  expect([...journal.values()].filter(({ status }) => isLive(status))).toEqual([]);
  const results = resultsIn(journal);
  if (over.status !== "failed") {
    expect(results).toEqual(Object.fromEntries(expected.steps));
    expect(runOutput(plan, journal)).toEqual(expected.output);
    return;
  }
  expect(journal.get(over.path!)).toMatchObject({ status: "failed", error: { code: "test" } });
  for (const [path, result] of Object.entries(results)) {
    const isBroken = result.status === "failed" && result.branch === undefined;
    if (!isBroken && result.status !== "cancelled") {
      expect(result).toEqual(expected.steps.get(path));
    }
  }
}

const order = fc.record({ seed: fc.integer(), prompt: fc.integer({ min: 0, max: 10 }) });
const scene = fc.record({ graph: anyGraph(), seed: fc.integer(), when: order });

describe("for all graphs, behaviours and orders of events", () => {
  test("a run with handled failures only ends as the rules predict, in any order", () => {
    const seen = { completed: 0, skipped: 0, failed: 0, cancelled: 0, inLoops: 0 };
    const property = fc.property(scene, ({ graph, seed, when }) => {
      const world = setUp(graph, seed, "handled");
      const simulation = new Simulation(world.plan, world.behave, when);
      const over = simulation.run();
      expect(over).toEqual({ status: "completed" });
      checkEnd(world, simulation, over);
      for (const { path, status } of simulation.journal.values()) {
        seen[status as Expected["status"]] += 1;
        if (path.includes("[")) seen.inLoops += 1;
      }
    });
    fc.assert(property, { numRuns: tries(120, 2_000) });
    // The test is meaningful only if all cases occurred often.
    expect(Math.min(seen.skipped, seen.failed, seen.inLoops)).toBeGreaterThan(tries(5, 30));
  });

  test("a run fails exactly if the rules predict a failure", () => {
    const seen = { completed: 0, failed: 0, cancelled: 0 };
    const property = fc.property(scene, ({ graph, seed, when }) => {
      const world = setUp(graph, seed, "any");
      const simulation = new Simulation(world.plan, world.behave, when);
      const over = simulation.run();
      seen[over.status] += 1;
      checkEnd(world, simulation, over);
    });
    fc.assert(property, { numRuns: tries(200, 2_000) });
    expect(Math.min(seen.completed, seen.failed)).toBeGreaterThan(tries(5, 30));
  });

  test("a stopped run ends with the requested status and leaves no active steps", () => {
    let stopped = 0;
    const as = fc.constantFrom("cancelled" as const, "failed" as const);
    const stops = fc.record({ after: fc.nat(20), as });
    const property = fc.property(scene, stops, ({ graph, seed, when }, stop) => {
      const world = setUp(graph, seed, "any");
      const simulation = new Simulation(world.plan, world.behave, when);
      const over = simulation.run(stop);
      if (!simulation.isStopped) return checkEnd(world, simulation, over);
      stopped += 1;
      expect(over.status).toBe(stop.as);
      const { journal } = simulation;
      expect([...journal.values()].filter(({ status }) => isLive(status))).toEqual([]);
    });
    fc.assert(property, { numRuns: tries(120, 2_000) });
    expect(stopped).toBeGreaterThan(tries(5, 30));
  });

  test("a successful retry has the same result as a run without failures", () => {
    let retried = 0;
    const stops = fc.record({ after: fc.nat(20), as: fc.constant("cancelled" as const) });
    const choice = fc.record({
      from: fc.constantFrom("failed", "start", "step"),
      step: fc.nat(),
      stop: fc.option(stops, { nil: undefined }),
    });
    const property = fc.property(scene, choice, ({ graph, seed, when }, { from, step, stop }) => {
      const world = setUp(graph, seed, "never");
      // Both behave the same except for the failures.
      let { behave } = setUp(graph, seed, "any");
      const simulation = new Simulation(world.plan, (...it) => behave(...it), when);
      if (simulation.run(stop).status === "completed") return;
      retried += 1;
      const { journal } = simulation;
      const kept = [...journal.values()].filter(({ status }) => status === "completed");
      const path = [...journal.keys()][step % journal.size] ?? "failed";
      simulation.retry(resetFrom(world.plan, journal, from === "step" ? path : from)!);
      behave = world.behave;
      const over = simulation.run();
      expect(over).toEqual({ status: "completed" });
      // A retry from the failure neither drops nor repeats completed steps.
      if (from === "failed") for (const one of kept) expect(journal.get(one.path)).toBe(one);
      // A retry from the start leaves no record of the first attempt.
      if (from === "start") checkEnd(world, simulation, over);
    });
    fc.assert(property, { numRuns: tries(200, 2_000) });
    expect(retried).toBeGreaterThan(tries(5, 30));
  });
});
