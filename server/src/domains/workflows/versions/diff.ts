import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import { nullable } from "#kernel/schema/schema.ts";
import { type Definition, definitionFields, Edge, Node, Trigger } from "../definition/index.ts";
import { diffSteps, stepDiffFields } from "./step-diff.ts";

/** The difference between two definitions. */
export const Difference = Type.Object(
  {
    identical: Type.Boolean(),
    fields: Type.Array(
      Type.Object({
        field: Type.String(),
        before: Type.Unknown({ description: "Value before. Null if it was missing" }),
        after: Type.Unknown({ description: "Value after. Null if it is missing" }),
      }),
      { description: "Changes other than trigger, nodes and edges" },
    ),
    trigger: nullable(Type.Object({ before: Trigger, after: Trigger })),
    nodes: Type.Object({
      added: Type.Array(Node),
      removed: Type.Array(Node),
      changed: Type.Array(
        Type.Object({
          id: Type.String(),
          changes: Type.Array(Type.String(), { description: "Changed fields of the node" }),
          before: Node,
          after: Node,
        }),
      ),
    }),
    edges: Type.Object({ added: Type.Array(Edge), removed: Type.Array(Edge) }),
    ...stepDiffFields,
  },
  { title: "WorkflowDifference" },
);
export type Difference = Static<typeof Difference>;

/** Compares two definitions. Nodes are identified by id, edges by all their fields. */
export function diffDefinitions(before: Definition, after: Definition): Difference {
  const fields = changedFields(before, after).filter((field) => !STRUCTURE.has(field));
  return {
    identical: isDeepStrictEqual(before, after),
    fields: fields.map((field) => ({
      field,
      before: before[field] ?? null,
      after: after[field] ?? null,
    })),
    trigger: isDeepStrictEqual(before.trigger, after.trigger)
      ? null
      : { before: before.trigger, after: after.trigger },
    nodes: diffNodes(before.nodes, after.nodes),
    edges: diffEdges(before.edges, after.edges),
    ...diffSteps(before, after),
  };
}

/** The names of the fields that differ. */
export function changedFields(before: Definition, after: Definition): (keyof Definition)[] {
  return FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

const SUMMARY_CHARACTERS_MAX = 1_000;
const NAMES_MAX = 10;

/** A short summary of a difference. */
export function summarizeDifference(difference: Difference): string {
  const { fields, trigger, nodes, edges } = difference;
  const parts = [
    listNames(
      "Added",
      nodes.added.map(({ id }) => id),
    ),
    listNames(
      "Removed",
      nodes.removed.map(({ id }) => id),
    ),
    listNames(
      "Changed",
      nodes.changed.map(({ id }) => id),
    ),
    edges.added.length + edges.removed.length > 0 &&
      `Edges: ${edges.added.length} added, ${edges.removed.length} removed`,
    trigger && describeTriggerChange(trigger),
    listNames(
      "Set",
      fields.map(({ field }) => field),
    ),
  ].filter((part) => typeof part === "string");
  if (parts.length > 0) return parts.join(". ").slice(0, SUMMARY_CHARACTERS_MAX);
  return difference.identical ? "No changes" : "Reordered";
}

// `definitionFields` has exactly the fields of a definition.
const FIELDS = Object.keys(definitionFields) as (keyof Definition)[];
const STRUCTURE: ReadonlySet<string> = new Set(["trigger", "nodes", "edges"]);

function diffNodes(before: readonly Node[], after: readonly Node[]): Difference["nodes"] {
  const old = new Map(before.map((node) => [node.id, node]));
  const remaining = new Set(after.map(({ id }) => id));
  const changed = after.flatMap((node) => {
    const former = old.get(node.id);
    if (!former || isDeepStrictEqual(former, node)) return [];
    return [{ id: node.id, changes: changedNodeFields(former, node), before: former, after: node }];
  });
  return {
    added: after.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !remaining.has(id)),
    changed,
  };
}

function changedNodeFields(before: Node, after: Node): string[] {
  const former = new Map<string, unknown>(Object.entries(before));
  const present = new Map<string, unknown>(Object.entries(after));
  const names = new Set([...former.keys(), ...present.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(former.get(name), present.get(name)));
}

function diffEdges(before: readonly Edge[], after: readonly Edge[]): Difference["edges"] {
  const [old, now] = [before, after].map((edges) => new Set(edges.map(edgeKeyOf)));
  return {
    added: after.filter((edge) => !old?.has(edgeKeyOf(edge))),
    removed: before.filter((edge) => !now?.has(edgeKeyOf(edge))),
  };
}

function edgeKeyOf({ from, to, when }: Edge): string {
  return JSON.stringify([from, to, when]);
}

function listNames(verb: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - NAMES_MAX;
  return `${verb} ${names.slice(0, NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function describeTriggerChange({ before, after }: NonNullable<Difference["trigger"]>): string {
  return before.type === after.type
    ? `Trigger ${after.type} changed`
    : `Trigger ${before.type} changed to ${after.type}`;
}
