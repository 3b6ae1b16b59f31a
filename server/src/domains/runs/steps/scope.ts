import { parsePath } from "#domains/workflows/index.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { JournalRecord } from "../engine/journal-record.ts";

type Outputs = Record<string, { readonly output: unknown; readonly error?: unknown }>;

/** What expressions see: kept up to date as steps end, since building it anew each time is what costs. */
export class Scope {
  readonly #common: Readonly<Record<string, unknown>>;
  readonly #outputs: Outputs = {};
  /** Of each iteration, by its prefix. */
  readonly #inner = new Map<string, Outputs>();
  readonly #items = new Map<string, { readonly as: string; readonly items: readonly unknown[] }>();

  constructor(facts: RunContext) {
    const { id, createdAt, workspace, environment, workflowId, versionId, trigger } = facts;
    this.#common = {
      trigger,
      run: { id, createdAt, workflowId, versionId },
      workspace: { id: workspaceIdOf(workspace) },
      environment,
    };
  }

  /** Takes in what is known of a step. */
  add({ path, node, status, output, error }: JournalRecord): void {
    if (status !== "completed" && status !== "failed") return;
    const prefix = path.slice(0, path.length - node.length);
    const known = { output: output ?? null, ...(error && { error }) };
    if (prefix === "") this.#outputs[node] = known;
    else {
      const inner = this.#inner.get(prefix) ?? {};
      inner[node] = known;
      this.#inner.set(prefix, inner);
    }
  }

  /** The items of a loop, and what its body calls one of them. */
  addItems(path: string, as: string, items: readonly unknown[]): void {
    this.#items.set(path, { as, items });
  }

  forget(path: string): void {
    const { iterations, id } = parsePath(path);
    if (iterations.length === 0) delete this.#outputs[id];
    else delete this.#inner.get(path.slice(0, path.length - id.length))?.[id];
  }

  /** What the step at this path sees: the steps around it, and the items on the way to it. */
  at(path: string, secrets?: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
    const { iterations } = parsePath(path);
    const items: Record<string, unknown> = {};
    let steps = this.#outputs;
    for (const { path: loop, index } of iterations) {
      const { as = "item", items: all = [] } = this.#items.get(loop) ?? {};
      items[as] = all[index];
      items["index"] = index;
      steps = { ...steps, ...this.#inner.get(`${loop}[${index}].`) };
    }
    const common = { ...this.#common, ...items, steps };
    return secrets === undefined || secrets.size === 0
      ? common
      : { ...common, secrets: Object.fromEntries(secrets) };
  }
}
