/** A workflow of n8n as workflows of ours: one for each trigger, with the nodes that it reaches. */
import type { Definition, Node } from "../definition/index.ts";
import { convertGraph, type GraphImport } from "./convert-graph.ts";
import { type ImportBinding, type NodeReport, NotConvertible } from "./conversion.ts";
import {
  type Json,
  type N8nNode,
  type N8nWorkflow,
  readN8nWorkflow,
  toText,
} from "./n8n-workflow.ts";
import { convertTrigger, isTrigger } from "./triggers.ts";

export interface ImportedWorkflow {
  readonly definition: Definition;
  readonly report: readonly NodeReport[];
}

export interface Imported {
  readonly workflows: readonly ImportedWorkflow[];
  readonly bindings: readonly ImportBinding[];
}

const TRIGGERS_MAX = 20;

/** Converts an export of n8n. `chosen` are the ids that a person chose for the bindings of an earlier answer. */
export function importN8n(value: Json, chosen: Readonly<Record<string, string>> = {}): Imported {
  const workflow = readN8nWorkflow(value);
  const nodes = workflow.nodes.filter(
    ({ type, name }) => type !== "stickyNote" && !workflow.parts.has(name),
  );
  const triggers = nodes.filter((node) => isTrigger(node) && !node.disabled).slice(0, TRIGGERS_MAX);
  const bindings = new Map<string, ImportBinding>();
  const starts = triggers.length > 0 ? triggers : [undefined];
  const workflows = starts.map((trigger) =>
    convertFrom(workflow, nodes, trigger, { chosen, bindings, isOne: starts.length === 1 }),
  );
  return { workflows, bindings: [...bindings.values()] };
}

interface Choices {
  readonly chosen: Readonly<Record<string, string>>;
  readonly bindings: Map<string, ImportBinding>;
  /** There is one trigger alone. */
  readonly isOne: boolean;
}

function convertFrom(
  workflow: N8nWorkflow,
  all: readonly N8nNode[],
  trigger: N8nNode | undefined,
  { chosen, bindings, isOne }: Choices,
): ImportedWorkflow {
  const report: NodeReport[] = [];
  const reached = trigger
    ? reachedFrom(workflow, trigger.name)
    : new Set(all.map(({ name }) => name));
  const nodes = all.filter(
    ({ name, type }) => reached.has(name) && !isTrigger({ type } as N8nNode),
  );
  const targets = new Set(workflow.links.map(({ to }) => to));
  const entries = trigger
    ? workflow.links.filter(({ from }) => from === trigger.name).map(({ to }) => to)
    : nodes.filter(({ name }) => !targets.has(name)).map(({ name }) => name);
  const state: GraphImport = {
    byName: new Map(nodes.map((node) => [node.name, node])),
    ids: uniqueIds(nodes),
    links: workflow.links,
    workflowName: workflow.name,
    report,
    bind: (node) => (kind, key, title) =>
      bindTo(bindings, chosen, { kind, key, title, node: node.name }),
  };
  const around = new Map(trigger ? [[trigger.name, "$trigger"]] : []);
  const start = convertStart(trigger, report);
  const graph = convertGraph(state, {
    names: new Set(state.byName.keys()),
    entries: entries.map((name) => ({ name, source: ["$trigger", 0] as const })),
    around,
  });
  const notes = attachNotes(workflow, state.ids);
  return {
    definition: {
      name: (isOne || !trigger ? workflow.name : `${workflow.name}: ${trigger.name}`).slice(0, 200),
      ...(notes.rest !== "" && { description: notes.rest }),
      trigger: start,
      nodes: graph.nodes.map((node) => withNote(node, notes.byStep.get(node.id))),
      edges: [...graph.edges],
    },
    report,
  };
}

function convertStart(trigger: N8nNode | undefined, report: NodeReport[]): Definition["trigger"] {
  if (!trigger) return { type: "manual" };
  const about = { node: trigger.name, type: trigger.type, stepId: "trigger" };
  try {
    const { trigger: made, approximations } = convertTrigger(trigger);
    report.push({
      ...about,
      status: approximations.length === 0 ? "converted" : "approximated",
      reasons: approximations,
    });
    return made;
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    report.push({ ...about, status: "placeholder", reasons: [error.message] });
    return { type: "manual" };
  }
}

/** The id that was chosen for a binding, or one that nothing has. */
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
  return Object.hasOwn(chosen, id) ? (chosen[id] ?? "") : `choose ${id}`.slice(0, 100);
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
/** Ids that mean something else in expressions. */
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

/** Ids by the names of nodes: a word that expressions can read. Endings are for the steps of one node. */
function uniqueIds(nodes: readonly N8nNode[]): Map<string, string> {
  const used = new Set<string>();
  return new Map(
    nodes.map(({ name, type }) => {
      const word = name
        .normalize("NFKD")
        .replaceAll(/[^A-Za-z0-9]+/g, "_")
        .replaceAll(/^_+|_+$/g, "")
        .toLowerCase();
      const plain = word === "" ? type.replaceAll(/[^A-Za-z0-9]+/g, "_").toLowerCase() : word;
      const base = (/^[a-z]/.test(plain) && !WORDS.has(plain) ? plain : `n_${plain}`).slice(
        0,
        ID_CHARACTERS_MAX,
      );
      let id = base;
      for (let count = 2; used.has(id); count += 1) id = `${base}_${count}`;
      used.add(id);
      return [name, id] as const;
    }),
  );
}

const NOTE_CHARACTERS_MAX = 2_000;
const DESCRIPTION_CHARACTERS_MAX = 10_000;
const NODE_SIZE = 100;

/** Sticky notes: one around a few nodes is the note of the first of them, others are part of the description. */
function attachNotes({ nodes }: N8nWorkflow, ids: ReadonlyMap<string, string>) {
  const byStep = new Map<string, string>();
  const rest: string[] = [];
  for (const { parameters, position, type } of nodes) {
    if (type !== "stickyNote") continue;
    const { content, width = 240, height = 160 } = parameters;
    const text = toText(content).trim();
    if (text === "") continue;
    const [x, y] = position;
    const inside = nodes.filter(
      (node) =>
        ids.has(node.name) &&
        node.position[0] >= x - NODE_SIZE / 2 &&
        node.position[0] <= x + Number(width) &&
        node.position[1] >= y - NODE_SIZE / 2 &&
        node.position[1] <= y + Number(height),
    );
    const [first] = inside.toSorted((a, b) => a.position[0] - b.position[0]);
    const step = first && inside.length <= 4 ? ids.get(first.name) : undefined;
    if (step !== undefined && !byStep.has(step)) byStep.set(step, text);
    else rest.push(text);
  }
  return { byStep, rest: rest.join("\n\n").slice(0, DESCRIPTION_CHARACTERS_MAX) };
}

function withNote(node: Node, note: string | undefined): Node {
  return note === undefined || node.note !== undefined
    ? node
    : { ...node, note: note.slice(0, NOTE_CHARACTERS_MAX) };
}
