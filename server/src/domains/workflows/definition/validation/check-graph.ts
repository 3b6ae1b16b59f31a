import type { FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { checkConfig } from "./check-config.ts";
import { checkEdges, type KnownNode } from "./check-edges.ts";
import { type CheckContext, isRecord, errorReporter } from "./check-context.ts";
import { EDGES_MAX, NESTING_MAX, Node, NODES_MAX } from "../definition.ts";
import { branchesOf, type Config, type NodeType } from "../node-type.ts";

interface Place {
  /** Where the object with `nodes` and `edges` stands. */
  readonly path: string;
  /** In how many loops. */
  readonly depth: number;
  /** The ids that steps in here can refer to besides their own. */
  readonly enclosing: ReadonlySet<string>;
}

const shape = new Validator(Node, "body");

/** Finds the faults of a graph and of the loops in it. */
export function checkGraph(
  checking: CheckContext,
  graph: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] },
  place: Place,
): void {
  checking.nodes += graph.nodes.length;
  checking.edges += graph.edges.length;
  // Whoever sends too much is told that, and costs us no more.
  if (checking.nodes > NODES_MAX || checking.edges > EDGES_MAX) return;
  const known = new Map<string, KnownNode>();
  const loops: [body: unknown, path: string][] = [];
  for (const [index, node] of graph.nodes.entries()) {
    const path = `${place.path}/nodes/${index}`;
    const type = checkNode(checking, node, path);
    if (!isRecord(node)) continue;
    const config = isRecord(node["config"]) ? node["config"] : {};
    if (type?.iterates) loops.push([config["body"], `${path}/config/body`]);
    const fault = faultOfId(node["id"], known, place);
    if (fault !== undefined) errorReporter(checking, path)([{ path: "/id", message: fault }]);
    else if (typeof node["id"] === "string") known.set(node["id"], knownNode(node, type, config));
  }
  checkEdges(checking, graph.edges, known, `${place.path}/edges`);
  checkErrorBranches(checking, graph, place.path);
  const enclosing = new Set([...place.enclosing, ...known.keys()]);
  for (const [body, path] of loops) {
    checkBody(checking, body, { path, depth: place.depth + 1, enclosing });
  }
}

function checkBody(checking: CheckContext, body: unknown, place: Place): void {
  if (!isRecord(body) || !Array.isArray(body["nodes"]) || !Array.isArray(body["edges"])) return;
  if (place.depth > NESTING_MAX) {
    const message = `is nested in more than ${NESTING_MAX} loops`;
    return errorReporter(checking, place.path)([{ path: "", message }]);
  }
  checkGraph(checking, { nodes: body["nodes"], edges: body["edges"] }, place);
}

function checkNode(checking: CheckContext, node: unknown, path: string): NodeType | undefined {
  const report = errorReporter(checking, path);
  const result = shape.check(node);
  if ("faults" in result) report(result.faults);
  if (!isRecord(node) || typeof node["type"] !== "string") return undefined;
  const type = checking.types.get(node["type"]);
  if (type === undefined) {
    report([{ path: "/type", message: "is not a known node type" }]);
    return undefined;
  }
  if (type.alwaysFails) report(faultsOfFailing(node));
  const { config = {} } = node;
  if (isRecord(config)) checkConfig(checking, type, config, `${path}/config`);
  return type;
}

function faultsOfFailing(node: Config): FieldError[] {
  const faults: FieldError[] = [];
  if (node["retry"] !== undefined) {
    faults.push({ path: "/retry", message: "makes no sense for a step that is meant to fail" });
  }
  if (node["onError"] !== undefined && node["onError"] !== "fail") {
    faults.push({ path: "/onError", message: "must be fail for a step that is meant to fail" });
  }
  return faults;
}

// Outputs are kept by id in objects, where these mean something else.
const RESERVED_IDS: ReadonlySet<unknown> = new Set(["__proto__", "constructor", "prototype"]);

function faultOfId(
  id: unknown,
  known: ReadonlyMap<string, unknown>,
  place: Place,
): string | undefined {
  if (typeof id !== "string") return undefined;
  if (RESERVED_IDS.has(id)) return "is a reserved word";
  if (known.has(id)) return "is the id of another node too";
  // Inside of a loop `steps.<id>` also reaches the steps around it.
  return place.enclosing.has(id) ? "is the id of a node outside of the loop too" : undefined;
}

function knownNode(node: Config, type: NodeType | undefined, config: Config): KnownNode {
  return {
    handlesErrors: node["onError"] === "branch",
    branches: type && branchesOf(type, config),
  };
}

/** A step whose errors are to be handled by a branch must have one, or they would pass unseen. */
function checkErrorBranches(
  checking: CheckContext,
  graph: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] },
  path: string,
): void {
  const handled = new Set(
    graph.edges.map((edge) => (isRecord(edge) && edge["when"] === "error" ? edge["from"] : null)),
  );
  for (const [index, node] of graph.nodes.entries()) {
    if (!isRecord(node) || node["onError"] !== "branch" || handled.has(node["id"])) continue;
    const message = "is branch, but no edge leaves with when: error";
    errorReporter(checking, `${path}/nodes/${index}`)([{ path: "/onError", message }]);
  }
}
