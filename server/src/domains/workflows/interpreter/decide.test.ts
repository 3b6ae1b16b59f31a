import { describe, expect, test } from "vitest";
import {
  advance,
  startProgress,
  nextDecision,
  runOutput,
  type StepRecord,
  type Stop,
} from "./index.ts";
import { decide, graphOf, journalOf, loopNode, planOf, toComparable } from "./testing/notation.ts";

type Journal = Parameters<typeof journalOf>[0];

const fork = planOf(
  [{ id: "check", type: "condition" }, "yes", "no", "both", "join"],
  "check -> yes: true",
  "check -> no: false",
  "check -> both",
  "yes -> join",
  "no -> join",
);
const risky = planOf(
  [{ id: "call", type: "http", onError: "branch" }, "fine", "mend", "after"],
  "call -> fine",
  "call -> mend: error",
  "fine -> after",
  "mend -> after",
);
const lenient = planOf([{ id: "call", type: "http", onError: "continue" }, "next"], "call -> next");
const sides = planOf(["one", "two", "after"], "one -> after");
const each = planOf(
  [loopNode("each", graphOf(["get", "put"], "get -> put"), { concurrency: 2 }), "after"],
  "each -> after",
);
const contest = planOf(
  [
    {
      id: "race",
      type: "race",
      config: { body: graphOf(["call", "then", "timer", "other"], "call -> then") },
    },
    "after",
  ],
  "race -> after",
);
const lone = (id: string) => ({ id, type: "set", start: false });
const orphans = planOf(
  ["one", lone("lost"), "next", "join"],
  "lost -> next",
  "one -> join",
  "lost -> join",
);
const orphanInLoop = planOf([loopNode("each", graphOf(["get", lone("lost")]))]);
const orphanInRace = planOf([
  { id: "race", type: "race", config: { body: graphOf(["call", lone("lost")]) } },
]);
const racing = { status: "running", items: 1 } as const;
const iterating = { status: "running", items: 4 } as const;

const rules: [string, typeof fork, Journal, object, Stop?][] = [
  ["what has no incoming edge starts at once", sides, {}, { start: ["one", "two"] }],
  [
    "a step that is not connected does not run, nor does what follows it alone",
    orphans,
    {},
    { start: ["one"], skip: ["lost", "next"] },
  ],
  [
    "a join of a connected and an unconnected step waits for the connected one",
    orphans,
    { one: "completed", lost: "skipped", next: "skipped" },
    { start: ["join"] },
  ],
  [
    "a step that is not connected does not run in a loop",
    orphanInLoop,
    { each: { status: "running", items: 1 } },
    { start: ["each[0].get"], skip: ["each[0].lost"] },
  ],
  [
    "a step that is not connected wins no race",
    orphanInRace,
    { race: { status: "running", items: 1 } },
    { start: ["race[0].call"] },
  ],
  ["what was started is not started again", sides, { one: "ready", two: "waiting" }, {}],
  [
    "an edge is taken on success",
    sides,
    { one: "completed", two: "running" },
    { start: ["after"] },
  ],
  ["a graph without nodes is complete", planOf([]), {}, { over: { status: "completed" } }],
  [
    "a branch takes its own edges and those without a label; the rest is skipped",
    fork,
    { check: { status: "completed", branch: "true" } },
    { start: ["both", "yes"], skip: ["no"] },
  ],
  [
    "a join waits for every edge that is not dead",
    fork,
    {
      check: { status: "completed", branch: "true" },
      yes: "running",
      no: "skipped",
      both: "running",
    },
    {},
  ],
  [
    "a join starts when one edge was taken and the others are dead",
    fork,
    {
      check: { status: "completed", branch: "true" },
      yes: "completed",
      no: "skipped",
      both: "completed",
    },
    { start: ["join"] },
  ],
  [
    "a join is skipped when no edge was taken, and so is what follows from that",
    fork,
    { check: "skipped" },
    { skip: ["both", "join", "no", "yes"], over: { status: "completed" } },
  ],
  [
    "a failure with a branch takes the edges for errors, and no others",
    risky,
    { call: "failed" },
    { start: ["mend"], skip: ["fine"] },
  ],
  [
    "a success takes no edge for errors",
    risky,
    { call: "completed" },
    { start: ["fine"], skip: ["mend"] },
  ],
  [
    "a failure that is to be ignored counts as success",
    lenient,
    { call: "failed" },
    { start: ["next"] },
  ],
  [
    "a failure for good fails the run: nothing starts, what runs is waited for",
    sides,
    { one: "running", two: "failed" },
    {},
  ],
  [
    "a run has failed once nothing runs",
    sides,
    { one: "completed", two: "failed" },
    { over: { status: "failed", path: "two" } },
  ],
  [
    "what waits is cancelled when the run fails",
    planOf(["one", "two", "three", "four"]),
    { one: "waiting", two: "paused", three: "ready", four: "failed" },
    { cancel: ["one", "three", "two"], over: { status: "failed", path: "four" } },
  ],
  [
    "of several failures the first in the graph is told",
    sides,
    { two: "failed", one: "failed" },
    { over: { status: "failed", path: "one" } },
  ],
  ["when stopped nothing starts", sides, {}, { over: { status: "cancelled" } }, "cancelled"],
  ["when stopped what runs is waited for", sides, { one: "running" }, {}, "cancelled"],
  [
    "a run can be stopped as failed, by no step's fault",
    sides,
    { one: "completed", two: "waiting" },
    { cancel: ["two"], over: { status: "failed", path: undefined } },
    "failed",
  ],
  [
    "to be cancelled beats to fail",
    sides,
    { one: "failed", two: "completed" },
    { over: { status: "cancelled" } },
    "cancelled",
  ],
  ["a loop whose items are being evaluated waits", each, { each: "running" }, {}],
  [
    "a loop begins as many iterations as it may",
    each,
    { each: iterating },
    { start: ["each[0].get", "each[1].get"] },
  ],
  [
    "an iteration that ends makes place for the next one",
    each,
    {
      each: iterating,
      "each[0].get": "running",
      "each[1].get": "completed",
      "each[1].put": "completed",
    },
    { start: ["each[2].get"] },
  ],
  [
    "a loop over nothing is complete",
    each,
    { each: { status: "running", items: 0 } },
    { complete: [{ path: "each", output: [] }], start: ["after"] },
  ],
  [
    "a failed iteration lets nothing in the loop start, and waits for what runs",
    each,
    { each: iterating, "each[0].get": "running", "each[1].get": "failed" },
    {},
  ],
  [
    "a loop fails when an iteration failed and nothing in it runs",
    each,
    { each: iterating, "each[0].get": "waiting", "each[1].get": "failed" },
    { cancel: ["each[0].get"], fail: [{ path: "each", cause: "each[1].get" }] },
  ],
  [
    "a loop that waits for its next attempt does nothing",
    each,
    { each: { status: "waiting", items: 4, retryAtMs: 5 }, "each[1].get": "failed" },
    {},
  ],
  [
    "a loop that runs is cancelled with its run, once nothing in it runs",
    each,
    { each: iterating, "each[0].get": "completed", "each[0].put": "paused" },
    { cancel: ["each", "each[0].put"], over: { status: "cancelled" } },
    "cancelled",
  ],
  [
    "a race begins all its branches",
    contest,
    { race: racing },
    { start: ["race[0].call", "race[0].other", "race[0].timer"] },
  ],
  [
    "a branch of a race that has more to do has not won, and one that failed is out",
    contest,
    {
      race: racing,
      "race[0].call": "completed",
      "race[0].timer": "waiting",
      "race[0].other": "failed",
    },
    { start: ["race[0].then"] },
  ],
  [
    "the first branch of a race to complete ends it: what the others do is cancelled",
    contest,
    {
      race: racing,
      "race[0].call": "running",
      "race[0].timer": { status: "completed", output: 7 },
      "race[0].other": "waiting",
    },
    {
      cancel: ["race[0].call", "race[0].other"],
      complete: [{ path: "race", output: { winner: "timer", output: 7 } }],
      start: ["after"],
    },
  ],
  [
    "a race fails when all its branches have, with the first failure in the graph",
    contest,
    {
      race: racing,
      "race[0].other": "failed",
      "race[0].call": "failed",
      "race[0].timer": "cancelled",
    },
    { fail: [{ path: "race", cause: "race[0].call" }] },
  ],
  [
    "steps of no node, iteration or loop are passed over",
    sides,
    { one: "running", two: "running", gone: "running", "one[0].x": "failed", "[": "failed" },
    {},
  ],
];

describe("decide", () => {
  test.each(rules)("%s", (...[, plan, journal, expected, stop]) => {
    expect(decide(plan, journalOf(journal), stop)).toEqual(expected);
  });

  test("iteration outputs have the order of the items, whichever ends first", () => {
    const steps = {
      each: { status: "running", items: 2 },
      "each[1].get": "completed",
      "each[1].put": { status: "completed", output: "b" },
      "each[0].get": "completed",
      "each[0].put": { status: "completed", output: "a" },
    } as const;
    const expected = { complete: [{ path: "each", output: ["a", "b"] }], start: ["after"] };
    expect(decide(each, journalOf(steps))).toEqual(expected);
  });

  test("the output of an iteration is null, the output of its single completed sink, or several outputs by id", () => {
    const body = graphOf(
      [{ id: "kind", type: "switch", config: { cases: ["a", "b"] } }, "x", "y"],
      "kind -> x: a",
      "kind -> x: b",
      "kind -> y: b",
    );
    const plan = planOf([loopNode("each", body, { concurrency: 3 })]);
    const kind = (branch: string) => ({ status: "completed", branch }) as const;
    const steps = journalOf({
      each: { status: "running", items: 3 },
      "each[0].kind": kind("default"),
      "each[1].kind": kind("a"),
      "each[1].x": { status: "completed", output: 1 },
      "each[2].kind": kind("b"),
      "each[2].x": { status: "completed", output: 2 },
      "each[2].y": { status: "completed", output: 3 },
    });
    expect(decide(plan, steps)).toEqual({
      skip: ["each[0].x", "each[0].y", "each[1].y"],
      complete: [{ path: "each", output: [null, 1, { x: 2, y: 3 }] }],
      over: { status: "completed" },
    });
  });

  test("a nested loop counts as one step of its iteration", () => {
    const inner = loopNode("inner", graphOf(["call"]));
    const plan = planOf([loopNode("outer", { nodes: [inner], edges: [] })]);
    const steps = journalOf({
      outer: { status: "running", items: 2 },
      "outer[0].inner": { status: "running", items: 1 },
      "outer[0].inner[0].call": { status: "completed", output: "x" },
    });
    expect(decide(plan, steps)).toEqual({
      complete: [{ path: "outer[0].inner", output: ["x"] }],
      start: ["outer[1].inner"],
    });
  });

  test("ten thousand iterations, one or two steps at a time", () => {
    const progress = startProgress(each);
    const size = 10_000;
    let decision = advance(progress, journalOf({ each: { items: size } }).values());
    let begun = 0;
    while (decision.start.some(({ path }) => path !== "after")) {
      const changes = decision.start.map(({ path, node }): StepRecord => ({
        path,
        node: node.id,
        status: "completed",
        attempts: 1,
        output: path,
      }));
      begun += changes.length;
      decision = advance(progress, changes);
    }
    expect(begun).toBe(2 * size);
    const output = Array.from({ length: size }, (_, index) => `each[${index}].put`);
    expect(toComparable(decision)).toEqual({
      complete: [{ path: "each", output }],
      start: ["after"],
    });
  });

  test("the journal is not modified", () => {
    const steps = journalOf({ one: "completed" });
    const before = structuredClone(steps);
    nextDecision(sides, {}, steps);
    expect(steps).toEqual(before);
  });
});

describe("runOutput", () => {
  const answering = planOf(
    [{ id: "early", type: "respond" }, "last", { id: "late", type: "respond" }],
    "early -> last",
  );
  const done = (output: unknown) => ({ status: "completed", output }) as const;
  const outputs: [string, typeof fork, Journal, unknown][] = [
    ["the answer of the respond step", answering, { early: done("a"), last: done("b") }, "a"],
    ["the first answer in the graph", answering, { late: done("z"), early: done("a") }, "a"],
    ["the sink, when no respond step ran", answering, { late: "skipped", last: done("b") }, "b"],
    ["several sinks by their ids", sides, { two: done(2), after: done(3) }, { two: 2, after: 3 }],
    ["only those that completed", sides, { two: "failed", after: done(3) }, 3],
    ["null when there is nothing", sides, {}, null],
  ];
  test.each(outputs)("%s", (_, plan, journal, expected) => {
    expect(runOutput(plan, journalOf(journal))).toEqual(expected);
  });
});
