/** Writes a workflow as code: the same JSON that the console shows and edits. */
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

/** A workflow as a file of a project has it. */
export interface WorkflowFile {
  readonly key: string;
  readonly definition: Definition;
}

/** A definition but for its graph. */
export type WorkflowHead = Omit<Definition, "nodes" | "edges"> & {
  /** What it is known by in the project; its name unless given. */
  readonly key?: string;
};

/** What a node has beside its type and configuration. */
export type StepOptions = Omit<Node, "id" | "type" | "config" | "forEach">;

/** A step that edges lead from and to. */
export interface AnyStep<Branch extends string = string> {
  readonly id: string;
  /** For the types of edges alone. */
  readonly branch?: Branch;
}

/** A step that others refer to. */
export interface Step<Output, Branch extends string = string> extends AnyStep<Branch> {
  readonly output: Ref<Output>;
  /** Of one that failed. */
  readonly error: Ref<StepError>;
  /** Of a list: whether there is more. */
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

/** Steps and edges in the order in which they are written. */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #edges: Edge[] = [];

  /** Adds a step; its configuration may refer to the outputs of others. */
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

  /** Adds a step that is done for each member of a list; its output is the list of outputs. */
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

  /** Adds steps that are done for each member of a list. */
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

  /** Adds steps that are done again until something holds; `state` is what the turn before gave. */
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

  /** Leads from one step to another, after a branch where it says so. */
  edge<Branch extends string>(
    from: AnyStep<Branch> | string,
    to: AnyStep | string,
    when?: NoInfer<Branch> | Omit<Edge, "from" | "to">,
  ): void {
    const more = typeof when === "string" ? { when } : when;
    this.#edges.push({ from: idOf(from), to: idOf(to), ...more });
  }

  /** Leads from each step to the next. */
  chain(...steps: readonly (AnyStep | string)[]): void {
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1];
      if (next !== undefined) this.edge(idOf(step), idOf(next));
    }
  }

  /** What has been added, as a definition has it. */
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

/** The builder of a whole workflow, which knows its trigger. */
export class WorkflowBuilder<Head> extends GraphBuilder {
  readonly trigger = referTo<unknown>(["trigger"]) as unknown as TriggerRef<Head>;
}

/** Defines a workflow. Its file exports it as default. */
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

/** A secret by its name. */
export function secret(name: SecretName): Ref<string> {
  return referTo(["secrets", name]);
}

/** The run itself. */
export const run: Ref<{
  readonly id: string;
  readonly createdAt: string;
  readonly workflowId: string;
  readonly versionId: string;
}> = referTo(["run"]);

/** The workspace that it runs in. */
export const workspace: Ref<{
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
}> = referTo(["workspace"]);

/** The name of the environment that it runs in. */
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
