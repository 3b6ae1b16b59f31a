/** Random workflows whose steps end according to a script, for engine tests. */
import fc from "fast-check";
import Type from "typebox";
import {
  afterFailure,
  nextDecision,
  type Definition,
  NodeTypePoint,
  nodeAt,
  nodeType,
  type RunResult,
  type ExecutionPlan,
  type StepRecord,
} from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { object } from "#kernel/schema/schema.ts";
import { executor, ExecutorPoint, StepFailure } from "../index.ts";

/** Failures before a step succeeds, by node id. */
export type Script = Readonly<Record<string, number>>;

/** The executed probe steps, across all kernels of this process. */
export const executed: { readonly run: string; readonly path: string }[] = [];

const probeType = nodeType({
  type: "probe",
  summary: "Does as the script says",
  config: object({ failures: Type.Integer() }),
  form: {
    title: "Probe",
    group: "Outside",
    icon: "boxes",
    first: { failures: 0 },
    fields: { failures: { title: "Failures" } },
  },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
});

/** A step with external effects. Records starts and fails the first few times. */
const probe = executor({
  type: probeType,
  async run({ failures }, { run, path, attempt }) {
    executed.push({ run: run.id, path });
    // Yields to other work, like every effect outside.
    await new Promise((resolve) => setImmediate(resolve));
    if (attempt <= failures) throw new StepFailure("scripted", `attempt ${attempt}`);
    return { output: { path, attempt } };
  },
});

export const probes = domain({
  name: "probes",
  summary: "",
  permissions: [],
  events: [],
  operations: [],
  contributions: [contribute(ExecutorPoint, probe), contribute(NodeTypePoint, probeType)],
});

const ON_ERROR = ["fail", "continue", "branch"] as const;

/** Small graphs with all features: branches, joins, loops, retries, handled failures. */
export const workflows: fc.Arbitrary<Definition> = fc
  .integer({ min: 2, max: 6 })
  .chain((count) =>
    fc.record({
      nodes: fc.tuple(...Array.from({ length: count }, (_, index) => nodeOf(`n${index}`))),
      edges: fc.tuple(
        ...Array.from({ length: count }, () => fc.array(fc.nat(5), { maxLength: 2 })),
      ),
      branches: fc.infiniteStream(fc.boolean()),
    }),
  )
  .map(({ nodes, edges, branches }): Definition => {
    const definition = nodes.flatMap((node, to) =>
      [...new Set(edges[to]?.map((from) => from % Math.max(to, 1)))]
        .filter((from) => from < to)
        .map((from) => ({ from: `n${from}`, to: node.id, ...labelOf(nodes[from], branches) })),
    );
    return { name: "random", trigger: { type: "manual" }, nodes, edges: definition };
  });

/** A node that loops over two items, and a repeat that ends after two iterations. */
export const flowControl: Definition = {
  name: "flow control",
  trigger: { type: "manual" },
  nodes: [
    {
      id: "each",
      type: "probe",
      config: { failures: 1 },
      retry: { maxAttempts: 2, backoffMs: 0 },
      forEach: { items: [1, 2], concurrency: 2 },
    },
    {
      id: "turns",
      type: "repeat",
      config: {
        until: "index = 1",
        max: 5,
        everyMs: 1,
        body: { nodes: [{ id: "turn", type: "probe", config: { failures: 0 } }], edges: [] },
      },
    },
  ],
  edges: [{ from: "each", to: "turns" }],
};

/** A race between a step that fails once and waits that never end. */
export const racing: Definition = {
  name: "race",
  trigger: { type: "manual" },
  nodes: [
    {
      id: "race",
      type: "race",
      config: {
        body: {
          nodes: [
            { id: "late", type: "delay", config: { ms: 3_600_000 } },
            {
              id: "quick",
              type: "probe",
              config: { failures: 1 },
              retry: { maxAttempts: 2, backoffMs: 0 },
            },
            { id: "broken", type: "probe", config: { failures: 9 } },
            { id: "last", type: "probe", config: { failures: 0 } },
          ],
          edges: [{ from: "quick", to: "last" }],
        },
      },
    },
    { id: "after", type: "probe", config: { failures: 0 } },
  ],
  edges: [{ from: "race", to: "after" }],
};

function nodeOf(id: string): fc.Arbitrary<Definition["nodes"][number]> {
  const step = (name: string) =>
    fc
      .record({
        failures: fc.nat(2),
        retries: fc.integer({ min: 1, max: 3 }),
        onError: fc.constantFrom(...ON_ERROR),
      })
      .map(({ failures, retries, onError }) => ({
        id: name,
        type: "probe",
        config: { failures },
        retry: { maxAttempts: retries, backoffMs: 0 },
        onError,
      }));
  const condition = fc
    .boolean()
    .map((value) => ({ id, type: "condition", config: { expression: String(value) } }));
  const loop = fc
    .tuple(step("inner"), fc.integer({ min: 1, max: 2 }))
    .map(([inner, concurrency]) => ({
      id,
      type: "loop",
      config: { items: [1, 2], concurrency, body: { nodes: [inner], edges: [] } },
    }));
  return fc.oneof({ weight: 4, arbitrary: step(id) }, condition, loop);
}

function labelOf(from: Definition["nodes"][number] | undefined, branches: Iterator<boolean>) {
  const chosen = branches.next().value === true;
  if (from?.type === "condition") return { when: String(chosen) };
  if (from?.type === "probe" && from.onError === "branch" && chosen) return { when: "error" };
  return {};
}

/** The end of the run and the last record of each step, as predicted by the interpreter alone. */
export function predict(plan: ExecutionPlan): {
  result: RunResult;
  steps: ReadonlyMap<string, StepRecord>;
} {
  const steps = new Map<string, StepRecord>();
  for (let turns = 0; turns < 10_000; turns += 1) {
    const decision = nextDecision(plan, {}, steps);
    for (const path of decision.skip) steps.set(path, newRecord(path, "skipped"));
    for (const path of decision.cancel) steps.set(path, newRecord(path, "cancelled"));
    for (const { path, output } of decision.complete) {
      steps.set(path, { ...newRecord(path, "completed"), output });
    }
    for (const { path, cause } of decision.fail) {
      const error = steps.get(cause)?.error ?? { code: "", message: "" };
      const node = nodeAt(plan.graph, path);
      if (node) steps.set(path, afterFailure(node, newRecord(path, "failed"), error, 0).record);
    }
    if (decision.result) return { result: decision.result, steps };
    for (const { path, node } of decision.start) {
      const { type, config } = node;
      if (type.type === "condition") {
        steps.set(path, { ...newRecord(path, "completed"), branch: String(config["expression"]) });
      } else if (type.iterates) {
        const items = type.races ? 1 : type.repeats ? Number(config["max"]) : 2;
        steps.set(path, { ...newRecord(path, "running"), items });
      } else if (type.type === "delay") steps.set(path, newRecord(path, "waiting"));
      else if (type.type === "repeat_check") {
        const output = { done: path.includes("[1]"), state: null };
        steps.set(path, { ...newRecord(path, "completed"), output });
      } else steps.set(path, predictStep(path, node, Number(config["failures"])));
    }
  }
  throw new Error("The prediction does not end.");
}

function predictStep(path: string, node: Parameters<typeof afterFailure>[0], failures: number) {
  for (let attempts = 1; ; attempts += 1) {
    const record = { ...newRecord(path, "completed"), attempts };
    if (attempts > failures) return { ...record, output: { path, attempt: attempts } };
    const error = { code: "scripted", message: `attempt ${attempts}` };
    const after = afterFailure(node, { ...record, status: "failed" }, error, 0);
    if (after.next !== "retry") return after.record;
  }
}

function newRecord(path: string, status: StepRecord["status"]): StepRecord {
  return { path, node: path.slice(path.lastIndexOf(".") + 1), status, attempts: 1 };
}
