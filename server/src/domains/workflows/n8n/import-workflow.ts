/** Converts an n8n workflow, including the nodes that its triggers reach. */
import { OPEN_SECRET, toOpenChoice } from "../checks/open-choices.ts";
import type { Definition, Trigger } from "../definition/index.ts";
import { convertGraph, type GraphImport, type WorkflowStart } from "./graph/convert-graph.ts";
import { type ImportBinding, type NodeReport, NotConvertible, type Source } from "./conversion.ts";
import { type Json, type N8nNode, type N8nWorkflow, readN8nWorkflow } from "./n8n-workflow.ts";
import { splitHooks } from "./triggers/hook-trigger.ts";
import { splitMailboxes } from "./triggers/mailbox-trigger.ts";
import { convertMcpServer } from "./mcp-server.ts";
import { attachNotes, withNote } from "./notes.ts";
import { UnreadableCode } from "./code-text.ts";
import { triggerConverterOf } from "./registry.ts";
import { isTrigger } from "./trigger-nodes.ts";

export interface ImportedWorkflow {
  readonly definition: Definition;
  readonly report: readonly NodeReport[];
}

export interface Imported {
  readonly workflows: readonly ImportedWorkflow[];
  readonly bindings: readonly ImportBinding[];
}

const TRIGGERS_MAX = 20;

/** Converts an n8n export. `chosen` contains the ids selected for the bindings of an earlier response. */
export function importN8n(value: Json, chosen: Readonly<Record<string, string>> = {}): Imported {
  const workflow = splitHooks(splitMailboxes(readN8nWorkflow(value)));
  const all = workflow.nodes.filter(
    ({ type, name }) => type !== "stickyNote" && !workflow.parts.has(name),
  );
  const bindings = new Map<string, ImportBinding>();
  const report: NodeReport[] = [];
  const bind: GraphImport["bind"] = (node) => (kind, key, title) =>
    bindTo(bindings, chosen, { kind, key, title, node: node.name });
  const further: ImportedWorkflow[] = [];
  const addWorkflow: GraphImport["addWorkflow"] = (made) =>
    void further.push({ definition: made, report: [] });
  const triggers = listStarts(workflow, all);
  const reached = new Set(triggers.flatMap(({ reaches }) => [...reaches]));
  const nodes = all.filter(
    (node) => (triggers.length === 0 || reached.has(node.name)) && !isTrigger(node),
  );
  const made = triggers.map((start) => ({
    ...start,
    trigger: convertStart(workflow, start, report, bind),
  }));
  const state: GraphImport = {
    byName: new Map(nodes.map((node) => [node.name, node])),
    ids: uniqueIds(nodes),
    links: workflow.links,
    partsOf: workflow.partsOf,
    workflowName: workflow.name,
    report,
    bind,
    addWorkflow,
    starts: triggers,
  };
  const graph = convertGraph(state, {
    names: new Set(state.byName.keys()),
    entries: listEntries(workflow, nodes, triggers),
    around: new Map(triggers.map(({ node, source }) => [node.name, source])),
  });
  const notes = attachNotes(workflow, state.ids);
  const definition: Definition = {
    name: workflow.name,
    ...(notes.rest !== "" && { description: notes.rest }),
    ...toTriggers(workflow, made, graph.firsts),
    nodes: graph.nodes.map((node) => withNote(node, notes.byStep.get(node.id))),
    edges: [...graph.edges],
  };
  const servers = all
    .filter(({ type, disabled }) => type === MCP_SERVER && !disabled)
    .map((node) => convertServer(workflow, node, { bind, addWorkflow }));
  // A template can consist of an MCP server only.
  const isServer = servers.length > 0 && nodes.length === 0 && triggers.length === 0;
  return {
    workflows: [...(isServer ? [] : [{ definition, report }]), ...servers, ...further],
    bindings: [...bindings.values()],
  };
}

const MCP_SERVER = "lc.mcpTrigger";

function convertServer(
  { name, partsOf }: N8nWorkflow,
  node: N8nNode,
  { bind, addWorkflow }: Pick<GraphImport, "bind" | "addWorkflow">,
): ImportedWorkflow {
  const report: NodeReport[] = [];
  const title = `${name}: ${node.name}`.slice(0, 200);
  const about = { workflowName: name, bind: bind(node), addWorkflow };
  const ctx = { node, parts: partsOf(node.name), ...about };
  return { definition: convertMcpServer(ctx, title, report), report };
}

/** The triggers with targets, or the first trigger if none has targets. Manual triggers come last. */
function listStarts(workflow: N8nWorkflow, all: readonly N8nNode[]): WorkflowStart[] {
  const active = all.filter(
    (node) => isTrigger(node) && !node.disabled && node.type !== MCP_SERVER,
  );
  const leading = active.filter(({ name }) => workflow.links.some(({ from }) => from === name));
  const isFirst = ({ name }: N8nNode, at: number, list: readonly N8nNode[]): boolean =>
    list.findIndex((one) => one.name === name) === at;
  const chosen = (leading.length > 0 ? leading : active.slice(0, 1))
    .filter(isFirst)
    .toSorted((one, other) => BY_HAND.indexOf(one.type) - BY_HAND.indexOf(other.type))
    .slice(0, TRIGGERS_MAX);
  const ids = uniqueIds(chosen, TRIGGER_ID_CHARACTERS_MAX);
  const isOne = chosen.length === 1;
  return chosen.map((node) => {
    const id = ids.get(node.name) ?? "";
    const source = isOne ? "$trigger" : `$trigger:${id}`;
    return { node, id, source, reaches: reachedFrom(workflow, node.name) };
  });
}

const BY_HAND = ["executeWorkflowTrigger", "manualTrigger"];

/** The target nodes of triggers, with the trigger that outputs their items. */
function listEntries(
  { links }: N8nWorkflow,
  nodes: readonly N8nNode[],
  triggers: readonly WorkflowStart[],
): { readonly name: string; readonly source: Source }[] {
  if (triggers.length === 0) {
    const targets = new Set(links.map(({ to }) => to));
    return nodes
      .filter(({ name }) => !targets.has(name))
      .map(({ name }) => ({ name, source: ["$trigger", 0] }));
  }
  return triggers.flatMap(({ node, source }) =>
    links
      .filter(({ from }) => from === node.name)
      .map(({ to, output }) => ({ name: to, source: [source, output] as const })),
  );
}

/** The triggers of the definition. Several triggers each start with their own target steps. */
function toTriggers(
  { links }: N8nWorkflow,
  made: readonly (WorkflowStart & { readonly trigger: Trigger })[],
  firsts: ReadonlyMap<string, string>,
): Pick<Definition, "trigger" | "triggers"> {
  if (made.length <= 1) return { trigger: made[0]?.trigger ?? { type: "manual" } };
  const [trigger, ...triggers] = made.map(({ node, id, trigger: converted }): Trigger => {
    const start = links
      .filter(({ from }) => from === node.name)
      .flatMap(({ to }) => firsts.get(to) ?? []);
    return {
      ...converted,
      id,
      name: node.name.slice(0, 100),
      ...(start.length > 0 && { start: [...new Set(start)].slice(0, STARTS_MAX) }),
    };
  });
  return { trigger: trigger ?? { type: "manual" }, triggers };
}

const STARTS_MAX = 50;

function convertStart(
  { partsOf }: N8nWorkflow,
  { node, id }: WorkflowStart,
  report: NodeReport[],
  bind: GraphImport["bind"],
): Trigger {
  const about = { node: node.name, type: node.type, stepId: report.length === 0 ? "trigger" : id };
  try {
    const convert = triggerConverterOf(node.type);
    if (!convert) throw new NotConvertible(`starts by ${node.type.replace(/Trigger$/, "")}`);
    const parts = partsOf(node.name);
    const { trigger, approximations } = convert({ node, parts, bind: bind(node) });
    report.push({
      ...about,
      status: approximations.length === 0 ? "converted" : "approximated",
      reasons: approximations,
    });
    return trigger;
  } catch (error) {
    if (!(error instanceof NotConvertible) && !(error instanceof UnreadableCode)) throw error;
    report.push({ ...about, status: "placeholder", reasons: [error.message] });
    return { type: "manual" };
  }
}

/** The selected id of a binding, or a placeholder id that does not exist. */
function bindTo(
  bindings: Map<string, ImportBinding>,
  chosen: Readonly<Record<string, string>>,
  {
    kind,
    key,
    title,
    node,
  }: Pick<ImportBinding, "kind" | "title"> & { readonly key: string; readonly node: string },
): string {
  const id = `${kind}:${key}`.slice(0, 200);
  const known = bindings.get(id);
  bindings.set(id, {
    id,
    kind,
    title: title.slice(0, 200),
    usedBy: [...new Set([...(known?.usedBy ?? []), node])],
  });
  // A node without its required text cannot be imported.
  if (kind === "text") return Object.hasOwn(chosen, id) ? (chosen[id] ?? "") : "";
  if (kind === "secret") return Object.hasOwn(chosen, id) ? (chosen[id] ?? "") : OPEN_SECRET;
  return Object.hasOwn(chosen, id) ? (chosen[id] ?? "") : toOpenChoice(id);
}

function reachedFrom({ links }: N8nWorkflow, start: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { from, to } of links) {
      if (from !== at || found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  found.delete(start);
  return found;
}

const ID_CHARACTERS_MAX = 48;
/** Leaves room for a number. */
const TRIGGER_ID_CHARACTERS_MAX = 36;
/** Ids with another meaning in expressions. */
const WORDS = new Set([
  "null",
  "true",
  "false",
  "and",
  "or",
  "in",
  "constructor",
  "prototype",
  "__proto__",
]);

/** The suffixes of step ids of one node. */
const ENDINGS =
  /^(?:args|ask|asked\d|back|batches|begin|book|books|call|code|create|delete|done\d|files|first|forget|found|if|items|keep|kept|last|left|loop|ms|new|plan|read|rows|sheets|turn|turns|update|append|wait)$/;

/** True if a node, or a possible step of a node, has the id. */
function isTaken(used: ReadonlySet<string>, id: string): boolean {
  const isStep = (one: string, node: string): boolean =>
    one.startsWith(`${node}_`) && ENDINGS.test(one.slice(node.length + 1));
  return [...used].some((one) => one === id || isStep(one, id) || isStep(id, one));
}

/** Unique ids by node name, usable as identifiers in expressions. Leaves room for step suffixes. */
function uniqueIds(nodes: readonly N8nNode[], max = ID_CHARACTERS_MAX): Map<string, string> {
  const used = new Set<string>();
  return new Map(
    nodes.map(({ name, type }) => {
      const word = name
        .normalize("NFKD")
        .replaceAll(/[^A-Za-z0-9]+/g, "_")
        .replaceAll(/^_+|_+$/g, "")
        .toLowerCase();
      const plain = word === "" ? type.replaceAll(/[^A-Za-z0-9]+/g, "_").toLowerCase() : word;
      const base = (/^[a-z]/.test(plain) && !WORDS.has(plain) ? plain : `n_${plain}`).slice(0, max);
      let id = base;
      for (let count = 2; isTaken(used, id); count += 1) id = `${base}_${count}`;
      used.add(id);
      return [name, id] as const;
    }),
  );
}
