/**
 * The difference between two definitions by step, also in loops. Unlike `diff.ts` it accepts any JSON, because the
 * editor compares incomplete definitions.
 */
import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { listEdges, listNodes, type OutlineEdge, type OutlineNode } from "../definition/index.ts";

const StepChange = Type.Object(
  {
    stepId: Type.String({ description: "Key of the step: `call`, or `each.call` in a loop" }),
    name: Type.String(),
    type: Type.String(),
    change: Type.Enum(["added", "removed", "changed"]),
    fields: Type.Array(
      Type.Object({
        field: Type.String({ description: "A JSON pointer within the node" }),
        before: Type.Optional(Type.Unknown()),
        after: Type.Optional(Type.Unknown()),
      }),
      { description: "Changes within the step" },
    ),
    harmless: Type.Boolean({
      description: "True if runs are not affected: only a name or a note changed",
    }),
  },
  { title: "WorkflowStepChange" },
);

const LoopEdge = Type.Object({
  in: Type.String({ description: "Key of the loop. Empty for the workflow itself" }),
  from: Type.String(),
  to: Type.String(),
  when: Type.Optional(Type.String()),
});

/** The step and edge fields of a diff. */
export const stepDiffFields = {
  harmless: Type.Boolean({
    description: "True if runs are not affected: only names, notes and tags changed",
  }),
  steps: Type.Array(StepChange, { description: "Including steps in loops" }),
  stepEdges: Type.Object(
    { added: Type.Array(LoopEdge), removed: Type.Array(LoopEdge) },
    { description: "Including edges in loops" },
  ),
};
const StepDiff = Type.Object(stepDiffFields);
export type StepDiff = Static<typeof StepDiff>;

type StepChange = StepDiff["steps"][number];

/** Fields of workflows and nodes that do not affect runs. */
const HARMLESS: ReadonlySet<string> = new Set(["/name", "/note", "/description", "/tags"]);

export function diffSteps(before: unknown, after: unknown): StepDiff {
  const steps = compareSteps(listNodes(before), listNodes(after));
  const stepEdges = compareEdges(listEdges(before), listEdges(after));
  const ownFields = changedPointers(withoutGraph(before), withoutGraph(after));
  const isHarmless =
    steps.every(({ harmless }) => harmless) &&
    stepEdges.added.length + stepEdges.removed.length === 0 &&
    ownFields.every(({ field }) => HARMLESS.has(topOf(field)));
  return { harmless: isHarmless, steps, stepEdges };
}

/** Compared by key: an incomplete definition can have many thousands of edges, too many for pairwise comparison. */
function compareEdges(
  before: readonly OutlineEdge[],
  after: readonly OutlineEdge[],
): StepDiff["stepEdges"] {
  const old = new Set(before.map(edgeKeyOf));
  const now = new Set(after.map(edgeKeyOf));
  return {
    added: after.filter((edge) => !old.has(edgeKeyOf(edge))),
    removed: before.filter((edge) => !now.has(edgeKeyOf(edge))),
  };
}

function edgeKeyOf({ in: within, from, to, when }: OutlineEdge): string {
  return JSON.stringify([within, from, to, when]);
}

function compareSteps(before: readonly OutlineNode[], after: readonly OutlineNode[]): StepChange[] {
  const old = new Map(before.map((node) => [node.key, node]));
  const now = new Map(after.map((node) => [node.key, node]));
  const removed = before.filter(({ key }) => !now.has(key));
  return [
    ...after.flatMap((node): StepChange[] => {
      const former = old.get(node.key);
      if (!former) return [{ ...outlineOf(node), change: "added", fields: [], harmless: false }];
      const fields = changedPointers(withoutBody(former), withoutBody(node));
      if (fields.length === 0) return [];
      const isHarmless = fields.every(({ field }) => HARMLESS.has(topOf(field)));
      return [{ ...outlineOf(node), change: "changed", fields, harmless: isHarmless }];
    }),
    ...removed.map((node): StepChange => ({
      ...outlineOf(node),
      change: "removed",
      fields: [],
      harmless: false,
    })),
  ];
}

function outlineOf({ key, id, name, type }: OutlineNode) {
  return { stepId: key, name: name ?? id, type };
}

/** A node without its loop body, which is compared separately. */
function withoutBody({ node, config }: OutlineNode): unknown {
  const { body: _, ...rest } = config;
  return { ...node, config: rest };
}

function withoutGraph(definition: unknown): unknown {
  const { nodes: _, edges: __, ...rest } = Object(definition) as Record<string, unknown>;
  return rest;
}

/** The first segment of a pointer. */
function topOf(pointer: string): string {
  return `/${pointer.split("/")[1] ?? ""}`;
}

const DEPTH_MAX = 6;

/** Changed values, compared recursively where both sides have objects. Lists are compared as a whole. */
function changedPointers(before: unknown, after: unknown, at = ""): StepChange["fields"] {
  if (isDeepStrictEqual(before, after)) return [];
  const depth = at.split("/").length - 1;
  if (!isPlain(before) || !isPlain(after) || depth >= DEPTH_MAX) {
    return [
      {
        field: at,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      },
    ];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    changedPointers(before[name], after[name], jsonPointer(at, name)),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
