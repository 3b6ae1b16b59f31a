/** Reads an n8n workflow export. The input is not trusted. */
import { Failure, Invalid } from "#kernel/operation/failure.ts";

/** Unchecked JSON such as parameters. */
export type Json = unknown;
export type JsonObject = Readonly<Record<string, Json>>;

export interface N8nNode {
  readonly name: string;
  /** Without the package name: `httpRequest`, `lc.agent`. */
  readonly type: string;
  readonly version: number;
  readonly parameters: JsonObject;
  readonly disabled: boolean;
  readonly credentials: readonly string[];
  readonly onError: string;
  readonly alwaysOutputData: boolean;
  readonly executeOnce: boolean;
  readonly retries: number | undefined;
  readonly position: readonly [x: number, y: number];
  readonly notes: string | undefined;
}

/** A connection from a main output to a node input. */
export interface N8nLink {
  readonly from: string;
  readonly output: number;
  readonly to: string;
  readonly input: number;
}

export interface N8nWorkflow {
  readonly name: string;
  readonly nodes: readonly N8nNode[];
  readonly links: readonly N8nLink[];
  /** Sub-nodes of agents: models, tools and memories. */
  readonly parts: ReadonlySet<string>;
  readonly partsOf: (name: string) => readonly NodePart[];
}

/** A sub-node such as the model of an agent. It can have sub-nodes itself. */
export interface NodePart {
  /** The kind of the connection, such as `ai_languageModel`. */
  readonly kind: string;
  readonly node: N8nNode;
  readonly parts: readonly NodePart[];
}

const NODES_MAX = 300;
const LINKS_MAX = 2_000;

/** Reads an export. Throws 422 if it is invalid. */
export function readN8nWorkflow(value: Json): N8nWorkflow {
  const { name, nodes, connections } = toObject(value);
  if (!Array.isArray(nodes)) throw new Failure(Invalid, { detail: "An export of n8n has nodes." });
  if (nodes.length > NODES_MAX) {
    throw new Failure(Invalid, { detail: `An import takes at most ${NODES_MAX} nodes.` });
  }
  const read = nodes.flatMap(toNode);
  const known = new Set(read.map((node) => node.name));
  const { links, owned } = readLinks(toObject(connections), known);
  if (links.length > LINKS_MAX) {
    throw new Failure(Invalid, { detail: `An import takes at most ${LINKS_MAX} connections.` });
  }
  return {
    name: toText(name, "Imported workflow").slice(0, 200),
    nodes: read,
    links,
    ...toParts(read, owned),
  };
}

const PART_DEPTH_MAX = 5;

function toParts(
  nodes: readonly N8nNode[],
  owned: readonly OwnedNode[],
): Pick<N8nWorkflow, "parts" | "partsOf"> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const partsOf = (name: string, depth = 0): NodePart[] =>
    owned.flatMap(({ owner, part, kind }) => {
      const node = owner === name && depth < PART_DEPTH_MAX ? byName.get(part) : undefined;
      return node ? [{ kind, node, parts: partsOf(part, depth + 1) }] : [];
    });
  return {
    parts: new Set(owned.map(({ part }) => part)),
    partsOf: (name) => partsOf(name),
  };
}

interface OwnedNode {
  readonly owner: string;
  readonly part: string;
  readonly kind: string;
}

function toNode(value: Json): N8nNode[] {
  const node = toObject(value);
  const { name, type, typeVersion, parameters, position, credentials, notes } = node;
  if (typeof name !== "string" || typeof type !== "string") return [];
  const [x, y] = Array.isArray(position) ? position : [];
  const onError = node["continueOnFail"] === true ? "continueRegularOutput" : node["onError"];
  return [
    {
      name,
      type: type.replace(/^@n8n\/n8n-nodes-langchain\./, "lc.").replace(/^n8n-nodes-base\./, ""),
      version: Number(typeVersion ?? 1),
      parameters: toObject(parameters),
      disabled: node["disabled"] === true,
      credentials: Object.keys(toObject(credentials)),
      onError: toText(onError, "stopWorkflow"),
      alwaysOutputData: node["alwaysOutputData"] === true,
      executeOnce: node["executeOnce"] === true,
      retries: node["retryOnFail"] === true ? Number(node["maxTries"] ?? 3) : undefined,
      position: [Number(x ?? 0), Number(y ?? 0)],
      notes: typeof notes === "string" && notes !== "" ? notes : undefined,
    },
  ];
}

function readLinks(
  connections: JsonObject,
  known: ReadonlySet<string>,
): { readonly links: readonly N8nLink[]; readonly owned: readonly OwnedNode[] } {
  const links: N8nLink[] = [];
  const owned: OwnedNode[] = [];
  for (const [from, kinds] of Object.entries(connections)) {
    if (!known.has(from)) continue;
    for (const [kind, outputs] of Object.entries(toObject(kinds))) {
      for (const [output, targets] of toList(outputs).entries()) {
        for (const target of toList(targets)) {
          const { node, index } = toObject(target);
          if (typeof node !== "string" || !known.has(node)) continue;
          if (kind !== "main") owned.push({ owner: node, part: from, kind });
          else links.push({ from, output, to: node, input: Number(index ?? 0) });
        }
      }
    }
  }
  return { links, owned };
}

export function toObject(value: Json): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}

export function toList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: Json, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}
