/** Builds a workflow in code: the same JSON that the console shows and edits. */
import type { Schemas } from "../operations.ts";
import { type AnyRef, type Ref, type Reference, referTo, toJson } from "./reference.ts";
import type {
  BranchOf,
  Checked,
  ConfigOf,
  NodeName,
  OutputOf,
  SecretName,
  TriggerRef,
} from "./workspace-types.ts";

type Definition = Schemas["WorkflowDefinition"];
type Node = Schemas["WorkflowNode"];
type Edge = Schemas["WorkflowEdge"];

/** A workflow in a project file. */
export interface WorkflowFile {
  readonly key: string;
  readonly definition: Definition;
}

/** A definition without its graph. */
export type WorkflowHead = Omit<Definition, "nodes" | "edges"> & {
  /** Its identifier in the project. Default: its name. */
  readonly key?: string;
};

/** The options of a node other than its type and configuration. */
export type StepOptions = Omit<Node, "id" | "type" | "config" | "forEach">;

/** A step that edges can connect. */
export interface AnyStep<Branch extends string = string> {
  readonly id: string;
  /** Only for the types of edges. */
  readonly branch?: Branch;
}

/** A step that others can reference. */
export interface Step<Output, Branch extends string = string> extends AnyStep<Branch> {
  readonly output: Ref<Output>;
  /** The error of a failed step. */
  readonly error: Ref<StepError>;
  /** For lists: whether there are more items. */
  readonly page: Ref<{ readonly truncated: boolean; readonly nextCursor: string | null }>;
}

interface StepError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type RefIfKnown<Item> = [Item] extends [never] ? AnyRef : Ref<Item>;

type ItemOf<Items> =
  Items extends Reference<readonly (infer Item)[] | null | undefined>
    ? RefIfKnown<Item>
    : Items extends readonly (infer Item)[]
      ? RefIfKnown<Item>
      : AnyRef;

interface Iteration {
  readonly items?: unknown;
  readonly as?: string;
}

type EachOf = Omit<NonNullable<Node["forEach"]>, "items">;
type EachOutput<Each, Output> = Each extends { readonly collect: false }
  ? { readonly count: number }
  : readonly Output[];

/** Steps and edges in the order of their code. */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #edges: Edge[] = [];

  /** Adds a step. Its configuration can reference the outputs of other steps. */
  step<const Type extends NodeName, const Config extends ConfigOf<Type>>(
    id: string,
    type: Type,
    config?: Config & Checked<Type, Config>,
    options: StepOptions = {},
  ): Step<OutputOf<Type, Config>, BranchOf<Type>> {
    return this.#add(
      { id, type, ...(config !== undefined && { config: toConfig(config) }) },
      options,
    );
  }

  /** Adds a step that runs for each item of a list. Its output is the list of outputs. */
  forEach<
    const Type extends NodeName,
    const Each extends EachOf & { readonly items: unknown },
    const Config extends ConfigOf<Type>,
  >(
    id: string,
    type: Type,
    { forEach: each, ...options }: StepOptions & { readonly forEach: Each },
    configure: (item: ItemOf<Each["items"]>, index: Ref<number>) => Config & Checked<Type, Config>,
  ): Step<EachOutput<Each, OutputOf<Type, Config>>, BranchOf<Type>> {
    const item = referTo<unknown>([each.as ?? "item"]) as ItemOf<Each["items"]>;
    const config = toConfig(configure(item, referTo(["index"])));
    const forEach = toJson(each) as NonNullable<Node["forEach"]>;
    return this.#add({ id, type, config, forEach }, options);
  }

  /** Adds steps that run for each item of a list. */
  loop<const Config extends Omit<ConfigOf<"loop">, "body"> & Iteration>(
    id: string,
    config: Config,
    build: (body: GraphBuilder, item: ItemOf<Config["items"]>, index: Ref<number>) => void,
    options: StepOptions = {},
  ): Step<OutputOf<"loop", Config>, BranchOf<"loop">> {
    const item = referTo([config.as ?? "item"]) as ItemOf<Config["items"]>;
    const body = buildGraph((graph) => build(graph, item, referTo(["index"])));
    return this.#add({ id, type: "loop", config: { ...toConfig(config), body } }, options);
  }

  /** Adds steps that repeat until a condition is true. `state` is the output of the previous iteration. */
  repeat<const Config extends Omit<ConfigOf<"repeat">, "body"> & Iteration>(
    id: string,
    config: Config,
    build: (body: GraphBuilder, state: AnyRef, index: Ref<number>) => void,
    options: StepOptions = {},
  ): Step<OutputOf<"repeat", Config>, BranchOf<"repeat">> {
    const state = referTo<unknown>([config.as ?? "state"]);
    const body = buildGraph((graph) => build(graph, state, referTo(["index"])));
    return this.#add({ id, type: "repeat", config: { ...toConfig(config), body } }, options);
  }

  /** Connects two steps, optionally from a specific branch. */
  edge<Branch extends string>(
    from: AnyStep<Branch> | string,
    to: AnyStep | string,
    when?: NoInfer<Branch> | Omit<Edge, "from" | "to">,
  ): void {
    const more = typeof when === "string" ? { when } : when;
    this.#edges.push({ from: idOf(from), to: idOf(to), ...more });
  }

  /** Connects each step with the next. */
  chain(...steps: readonly (AnyStep | string)[]): void {
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1];
      if (next !== undefined) this.edge(idOf(step), idOf(next));
    }
  }

  /** The nodes and edges in definition format. */
  toGraph(): { readonly nodes: readonly Node[]; readonly edges: readonly Edge[] } {
    return { nodes: this.#nodes, edges: this.#edges };
  }

  #add<Output, Branch extends string>(node: Node, options: StepOptions): Step<Output, Branch> {
    this.#nodes.push({ ...node, ...(toJson(options) as StepOptions) });
    const { id } = node;
    return {
      id,
      output: referTo(["steps", id, "output"]),
      error: referTo(["steps", id, "error"]),
      page: referTo(["steps", id, "page"]),
    };
  }
}

/** The builder of a complete workflow, with the types of its trigger. */
export class WorkflowBuilder<Head> extends GraphBuilder {
  readonly trigger = referTo<unknown>(["trigger"]) as unknown as TriggerRef<Head>;
}

/** Defines a workflow. Its file exports the result as default. */
export function defineWorkflow<const Head extends WorkflowHead>(
  head: Head,
  build: (workflow: WorkflowBuilder<Head>) => void,
): WorkflowFile {
  const { key = head.name, ...rest } = head;
  const builder = new WorkflowBuilder<Head>();
  build(builder);
  const definition = { ...(toJson(rest) as WorkflowHead), ...builder.toGraph() };
  return { key, definition };
}

/** References a secret by name. */
export function secret(name: SecretName): Ref<string> {
  return referTo(["secrets", name]);
}

/** The current run. */
export const run: Ref<{
  readonly id: string;
  readonly createdAt: string;
  readonly workflowId: string;
  readonly versionId: string;
}> = referTo(["run"]);

/** The workspace of the run. */
export const workspace: Ref<{
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
}> = referTo(["workspace"]);

/** The name of the run's environment. */
export const environment: Ref<string> = referTo(["environment"]);

function buildGraph(build: (graph: GraphBuilder) => void): ReturnType<GraphBuilder["toGraph"]> {
  const graph = new GraphBuilder();
  build(graph);
  return graph.toGraph();
}

function toConfig(config: object): Readonly<Record<string, unknown>> {
  return toJson(config) as Readonly<Record<string, unknown>>;
}

function idOf(step: AnyStep | string): string {
  return typeof step === "string" ? step : step.id;
}
