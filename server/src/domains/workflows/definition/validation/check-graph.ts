import type { FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import type { Steps } from "#kernel/work/turn-timer.ts";
import { checkConfig, namesInConfig } from "./check-config.ts";
import { checkEdges, type KnownNode } from "./check-edges.ts";
import { type CheckContext, isRecord, errorReporter } from "./check-context.ts";
import { checkNames, type VisibleNames } from "./check-names.ts";
import { EarlierSteps, type StepNames } from "./earlier-steps.ts";
import { NESTING_MAX, Node } from "../definition.ts";
import { branchLabels, type Config, type NodeType } from "../node-type.ts";
import { withArguments } from "../nodes/agent-plan.ts";
import { isTemplate } from "../template.ts";
import { findUnconnected } from "../graph-parts.ts";

interface GraphPosition {
  /** The path of the object with `nodes` and `edges`. */
  readonly path: string;
  /** The number of surrounding loops. */
  readonly depth: number;
  /** The step ids of surrounding graphs that steps in here can reference. */
  readonly enclosing: ReadonlySet<string>;
  /** The surrounding steps before the loop. */
  readonly before: StepNames;
  /** The item names visible to expressions in here. */
  readonly items: readonly string[];
  /** The ids of surrounding steps that wait for a call. */
  readonly calls: readonly string[];
}

/** The position of the graph of a workflow. */
export const OUTERMOST: GraphPosition = {
  path: "",
  depth: 0,
  enclosing: new Set(),
  before: new Set(),
  items: [],
  calls: [],
};

const validator = new Validator(Node, "body");

export function* checkGraph(
  ctx: CheckContext,
  graph: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] },
  position: GraphPosition,
): Steps<void> {
  const known = new Map<string, KnownNode>();
  const typed: TypedNode[] = [];
  for (const [index, node] of graph.nodes.entries()) {
    yield;
    const path = `${position.path}/nodes/${index}`;
    const type = checkNode(ctx, node, path);
    if (!isRecord(node)) continue;
    const config = isRecord(node["config"]) ? node["config"] : {};
    if (type) {
      const forEach = isRecord(node["forEach"]) ? node["forEach"] : undefined;
      typed.push({ id: node["id"], type, config, path: `${path}/config`, forEach });
      if (forEach) checkForEach(ctx, type, forEach, `${path}/forEach`);
    }
    const idError = nodeIdError(node["id"], known, position);
    if (idError !== undefined) errorReporter(ctx, path)([{ path: "/id", message: idError }]);
    else if (typeof node["id"] === "string") known.set(node["id"], toKnownNode(node, type, config));
  }
  yield* checkEdges(ctx, graph.edges, known, `${position.path}/edges`);
  checkErrorBranches(ctx, graph, position.path);
  warnOfUnconnected(ctx, graph, position.path);
  const enclosing = new Set([...position.enclosing, ...known.keys()]);
  const earlier = new EarlierSteps(graph.edges);
  const calls = [...position.calls, ...findCalls(typed)];
  for (const { id, type, config, path, forEach } of typed) {
    yield;
    const before = joinNames(position.before, earlier.of(id));
    const visible = { steps: enclosing, before, items: position.items, calls };
    if (forEach) {
      const reads = ctx.expressions.templateNames(forEach["items"]);
      checkNames(ctx, reads, visible, `${path.slice(0, -"/config".length)}/forEach/items`);
    }
    const { as: name = "item" } = forEach ?? {};
    const own = forEach && typeof name === "string" ? [...position.items, name, "index"] : [];
    const seen = { ...visible, items: forEach ? own : position.items };
    checkFieldNames(ctx, { type, config, path }, seen);
    if (type.plans)
      checkTools(ctx, config["tools"], `${path}/tools`, {
        ...seen,
        items: [...seen.items, "call"],
      });
    if (!type.iterates || type.plans) continue;
    const { as: item = type.repeats ? "state" : "item", body } = config;
    const items = type.races ? position.items : [...position.items, String(item), "index"];
    yield* checkBody(ctx, body, {
      path: `${path}/body`,
      depth: position.depth + 1,
      enclosing,
      before,
      items,
      calls,
    });
  }
}

function joinNames(some: StepNames, others: StepNames): StepNames {
  return { has: (id) => some.has(id) || others.has(id) };
}

function findCalls(nodes: readonly TypedNode[]): string[] {
  return nodes.flatMap(({ id, type }) => (type.takesCalls && typeof id === "string" ? [id] : []));
}

/** Checks the tools of an agent. Each is a node whose templates also see the call. */
function checkTools(ctx: CheckContext, tools: unknown, at: string, visible: VisibleNames): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool) || typeof tool["type"] !== "string") continue;
    const path = `${at}/${index}`;
    const { name: id, type: typeName, config: given = {}, retry } = tool;
    const config = isRecord(given) ? withArguments(typeName, given) : given;
    const node = { id, type: typeName, config, ...(retry !== undefined && { retry }) };
    const type = checkNode(ctx, node, path);
    const report = errorReporter(ctx, path);
    if (visible.steps.has(String(id))) {
      report([{ path: "/name", message: "is also the id of a node" }]);
    }
    if (!type) continue;
    if (type.iterates || type.answers || type.alwaysFails) {
      report([{ path: "/type", message: "can't be used as a tool. Put it into a workflow" }]);
    }
    if (isRecord(config)) checkFieldNames(ctx, { type, config, path: `${path}/config` }, visible);
  }
}

interface TypedNode {
  readonly id: unknown;
  readonly type: NodeType;
  readonly config: Config;
  /** The path of its configuration. */
  readonly path: string;
  readonly forEach: Config | undefined;
}

/** Checks the names in a configuration. A field can see additional names. */
function checkFieldNames(
  ctx: CheckContext,
  { type, config, path }: Pick<TypedNode, "type" | "config" | "path">,
  visible: VisibleNames,
): void {
  for (const reads of namesInConfig(ctx, type, config)) {
    const more = type.names?.[reads.path.slice(1)];
    if (more === undefined) checkNames(ctx, [reads], visible, path);
    else {
      const inner = type.repeats ? idsIn(config["body"]) : [];
      const { as: item } = config;
      checkNames(
        ctx,
        [reads],
        {
          steps: new Set([...visible.steps, ...inner]),
          before: joinNames(visible.before, new Set(inner)),
          items: [...visible.items, ...more, ...(typeof item === "string" ? [item] : [])],
          calls: visible.calls,
        },
        path,
      );
    }
  }
}

function idsIn(body: unknown): string[] {
  if (!isRecord(body) || !Array.isArray(body["nodes"])) return [];
  return body["nodes"].flatMap((node: unknown) =>
    isRecord(node) && typeof node["id"] === "string" ? [node["id"]] : [],
  );
}

/** Checks that a node can run per item: it has no branches, and does not loop over a list itself. */
function checkForEach(ctx: CheckContext, type: NodeType, forEach: Config, path: string): void {
  const report = errorReporter(ctx, path);
  if (
    type.branches !== "none" ||
    (type.iterates && !type.plans) ||
    type.answers ||
    type.alwaysFails
  ) {
    report([
      {
        path: "",
        message: `is not supported for steps of type ${type.type}. Put the step in a loop`,
      },
    ]);
  }
  const { items } = forEach;
  if (!Array.isArray(items) && !isTemplate(items)) {
    report([{ path: "/items", message: "must be a list, or a template for a list" }]);
  }
  report(
    ctx.expressions.template(items).map((error) => ({ ...error, path: `/items${error.path}` })),
  );
}

function* checkBody(ctx: CheckContext, body: unknown, position: GraphPosition): Steps<void> {
  if (!isRecord(body) || !Array.isArray(body["nodes"]) || !Array.isArray(body["edges"])) return;
  if (position.depth > NESTING_MAX) {
    const message = `has more than ${NESTING_MAX} levels of nested loops`;
    return errorReporter(ctx, position.path)([{ path: "", message }]);
  }
  yield* checkGraph(ctx, { nodes: body["nodes"], edges: body["edges"] }, position);
}

function checkNode(ctx: CheckContext, node: unknown, path: string): NodeType | undefined {
  const report = errorReporter(ctx, path);
  const result = validator.check(node);
  if ("errors" in result) report(result.errors);
  if (!isRecord(node) || typeof node["type"] !== "string") return undefined;
  const type = ctx.types.get(node["type"]);
  if (type === undefined) {
    report([{ path: "/type", message: "is not a known node type" }]);
    return undefined;
  }
  if (type.alwaysFails) report(alwaysFailsErrors(node));
  const { config = {} } = node;
  if (isRecord(config)) checkConfig(ctx, type, config, `${path}/config`);
  return type;
}

function alwaysFailsErrors(node: Config): FieldError[] {
  const errors: FieldError[] = [];
  if (node["retry"] !== undefined) {
    errors.push({ path: "/retry", message: "can't be used for a step that always fails" });
  }
  if (node["onError"] !== undefined && node["onError"] !== "fail") {
    errors.push({ path: "/onError", message: "must be fail for a step that always fails" });
  }
  return errors;
}

// Outputs are stored by id in objects, where these names have a special meaning.
const RESERVED_IDS: ReadonlySet<unknown> = new Set(["__proto__", "constructor", "prototype"]);

function nodeIdError(
  id: unknown,
  known: ReadonlyMap<string, unknown>,
  position: GraphPosition,
): string | undefined {
  if (typeof id !== "string") return undefined;
  if (RESERVED_IDS.has(id)) return "is a reserved word";
  if (known.has(id)) return "is also the id of another node";
  // Inside a loop `steps.<id>` also references surrounding steps.
  return position.enclosing.has(id) ? "is also the id of a node outside the loop" : undefined;
}

function toKnownNode(node: Config, type: NodeType | undefined, config: Config): KnownNode {
  return {
    handlesErrors: node["onError"] === "branch",
    branches: type && branchLabels(type, config),
  };
}

/** A step with `onError: branch` needs an error edge. Without one its errors would be ignored silently. */
function checkErrorBranches(
  ctx: CheckContext,
  graph: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] },
  path: string,
): void {
  const handled = new Set(
    graph.edges.map((edge) => (isRecord(edge) && edge["when"] === "error" ? edge["from"] : null)),
  );
  for (const [index, node] of graph.nodes.entries()) {
    if (!isRecord(node) || node["onError"] !== "branch" || handled.has(node["id"])) continue;
    const message = "uses the Error output, but it is not connected";
    errorReporter(ctx, `${path}/nodes/${index}`)([{ path: "/onError", message }]);
  }
}

/** A step without connections never runs, which is easy to overlook. */
function warnOfUnconnected(
  ctx: CheckContext,
  graph: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] },
  path: string,
): void {
  const unconnected = findUnconnected(graph, ctx.starts);
  for (const [index, node] of graph.nodes.entries()) {
    if (!isRecord(node) || !unconnected.has(String(node["id"]))) continue;
    ctx.warnings.push({
      path: `${path}/nodes/${index}`,
      message: "is not connected: it does not run",
    });
  }
}
