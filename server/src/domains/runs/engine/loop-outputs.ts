import {
  type ExecutionPlan,
  type Iteration,
  nodeAt,
  parsePath,
  type PlanNode,
} from "#domains/workflows/index.ts";
import { JSON_CHARACTERS_MAX } from "#kernel/schema/json-value.ts";
import type { JournalRecord } from "./journal-record.ts";

/** Of all iterations together: a run is in memory as a whole while it goes on. */
const ITERATIONS_CHARACTERS_MAX = 64 * 1024 * 1024;

/**
 * Counts how large the outputs of loops become while their iterations end. A loop whose output can't
 * be stored must stop at the item that makes it too large: each further one would only repeat its
 * effects in vain.
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

  /** Counts what a step of an iteration was given and gave; true once that is more than a run may hold. */
  count({ path, input, output }: Pick<JournalRecord, "path" | "input" | "output">): boolean {
    if (!path.includes("[")) return false;
    this.#allCharacters += JSON.stringify([input, output]).length;
    return this.#allCharacters > ITERATIONS_CHARACTERS_MAX;
  }

  /** Adds the output of a completed step; gives the iteration that made its loop's too large. */
  add(node: PlanNode, { path, output }: JournalRecord): Iteration | undefined {
    // Only what the graph of an iteration ends with is part of its output.
    if (node.outgoing.length > 0 || !path.includes("[")) return undefined;
    const iteration = parsePath(path).iterations.at(-1);
    if (!iteration || !nodeAt(this.#plan.graph, iteration.path)?.collects) return undefined;
    const before = this.#characters.get(iteration.path) ?? 0;
    const after = before + JSON.stringify(output ?? null).length + 1;
    this.#characters.set(iteration.path, after);
    return after > JSON_CHARACTERS_MAX && before <= JSON_CHARACTERS_MAX ? iteration : undefined;
  }
}
