import {
  type ExecutionPlan,
  type Iteration,
  nodeAt,
  parsePath,
  type PlanNode,
} from "#domains/workflows/index.ts";
import { JSON_CHARACTERS_MAX } from "#kernel/schema/json-value.ts";
import type { JournalRecord } from "./journal-record.ts";

/** Limit for all iterations together, because an active run is completely in memory. */
const ITERATIONS_CHARACTERS_MAX = 64 * 1024 * 1024;

/**
 * Measures the output size of loops as iterations end. A loop with too large an output must stop at the item that
 * exceeds the limit. Further items would only repeat effects, because the output cannot be stored.
 */
export class LoopOutputs {
  readonly #plan: ExecutionPlan;
  readonly #characters = new Map<string, number>();
  #allCharacters = 0;

  constructor(plan: ExecutionPlan, steps: ReadonlyMap<string, JournalRecord>) {
    this.#plan = plan;
    if (!plan.graph.nodes.some(({ body }) => body)) return;
    for (const [path, record] of steps) {
      this.count(record);
      const node = record.status === "completed" ? nodeAt(plan.graph, path) : undefined;
      if (node) this.add(node, record);
    }
  }

  /** Adds the input and output size of a step in an iteration. Returns true if the run exceeds its limit. */
  count({ path, input, output }: Pick<JournalRecord, "path" | "input" | "output">): boolean {
    if (!path.includes("[")) return false;
    this.#allCharacters += JSON.stringify([input, output]).length;
    return this.#allCharacters > ITERATIONS_CHARACTERS_MAX;
  }

  /** Adds the output of a completed step. Returns the iteration that exceeds the limit of its loop. */
  add(node: PlanNode, { path, output }: JournalRecord): Iteration | undefined {
    // Only outputs of final nodes are part of the output of an iteration.
    if (node.outgoing.length > 0 || !path.includes("[")) return undefined;
    const iteration = parsePath(path).iterations.at(-1);
    if (!iteration || !nodeAt(this.#plan.graph, iteration.path)?.collects) return undefined;
    const before = this.#characters.get(iteration.path) ?? 0;
    const after = before + JSON.stringify(output ?? null).length + 1;
    this.#characters.set(iteration.path, after);
    return after > JSON_CHARACTERS_MAX && before <= JSON_CHARACTERS_MAX ? iteration : undefined;
  }
}
