/** The query plan of PostgreSQL: its nodes, without those of the wrapping statement. */
import Type, { type Static } from "typebox";
import type { SqlResult } from "#kernel/db/sql-runner.ts";

const NODES_MAX = 500;

const Count = Type.Optional(Type.Number());

export const PlanNode = Type.Object(
  {
    id: Type.Integer({ description: "Index in the list" }),
    parent: Type.Union([Type.Integer(), Type.Null()], {
      description: "Index of the parent node",
    }),
    type: Type.String({ description: "Node type in PostgreSQL, such as `Seq Scan`" }),
    relation: Type.Optional(Type.String({ description: "The table that the node reads" })),
    index: Type.Optional(Type.String()),
    join: Type.Optional(Type.String({ description: "Such as `Inner` or `Left`" })),
    condition: Type.Optional(Type.String()),
    estimatedRows: Count,
    estimatedCost: Count,
    rows: Type.Optional(
      Type.Number({ description: "Number of returned rows in all loops, if the query was run" }),
    ),
    removedRows: Count,
    durationMs: Type.Optional(
      Type.Number({ description: "Time including child nodes in all loops, if the query was run" }),
    ),
  },
  { title: "QueryPlanNode" },
);
export type PlanNode = Static<typeof PlanNode>;

export const QueryPlan = Type.Object(
  {
    nodes: Type.Array(PlanNode, {
      description: "Parents before their children",
    }),
    isLimited: Type.Boolean({
      description: "True if access rules may filter the rows; then row counts are omitted",
    }),
    truncated: Type.Boolean({ description: `Whether there are more than ${NODES_MAX} nodes` }),
    durationMs: Type.Integer(),
  },
  { title: "QueryPlan" },
);
export type QueryPlan = Static<typeof QueryPlan>;

type Json = Readonly<Record<string, unknown>>;

/** Internal names, which are not shown to users. */
const INTERNAL_NAMES = /tables_[psd]_[0-9a-f]{8}|millrace[._]/;
const ANSWER = "CTE (answer)";
const CONDITIONS = ["Index Cond", "Hash Cond", "Merge Cond", "Join Filter", "Filter"] as const;

interface PlanOptions {
  readonly hasFigures: boolean;
  /** The relations that may be named; all if undefined. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** Reads the JSON of `explain`. Without `hasFigures`, only the shape of the plan is returned. */
export function toPlanNodes(
  { rows }: SqlResult,
  options: PlanOptions,
): { readonly nodes: PlanNode[]; readonly truncated: boolean } {
  const [[text] = []] = rows;
  const [plan] = JSON.parse(text ?? "[]") as { readonly Plan: Json }[];
  const nodes: PlanNode[] = [];
  let truncated = false;
  const add = (json: Json, parent: number | null): void => {
    if (nodes.length >= NODES_MAX) {
      truncated = true;
      return;
    }
    const id = nodes.length;
    nodes.push(toPlanNode(json, { id, parent, ...options }));
    for (const child of childrenOf(json)) add(child, id);
  };
  const [answer, ...others] = plan ? ownParts(plan.Plan) : [];
  if (answer) add(answer, null);
  for (const part of others) add(part, 0);
  return { nodes, truncated };
}

const childrenOf = (json: Json): readonly Json[] => (json["Plans"] as readonly Json[]) ?? [];

/** The user's statement, then the tables whose rules are applied before it. */
function ownParts(plan: Json): readonly Json[] {
  const parts = collectParts(plan);
  const answer = parts.find((part) => part["Subplan Name"] === ANSWER);
  return answer ? [unwrap(answer), ...parts.filter((part) => part !== answer)] : [plan];
}

/** Without the limit of rows that every answer has. */
function unwrap(answer: Json): Json {
  let own = answer;
  for (const type of ["Subquery Scan", "Limit"]) {
    const [child, ...more] = childrenOf(own);
    if (own["Node Type"] === type && child && more.length === 0) own = child;
  }
  return own;
}

/** Common table expressions of the wrapping statement, wherever the planner places them. */
function collectParts(json: Json): readonly Json[] {
  return childrenOf(json).flatMap((child) => {
    const name = child["Subplan Name"];
    const isPart = typeof name === "string" && name.startsWith("CTE ") && name !== "CTE (sized)";
    return isPart ? [child] : collectParts(child);
  });
}

interface NodePlace extends PlanOptions {
  readonly id: number;
  readonly parent: number | null;
}

function toPlanNode(json: Json, { id, parent, hasFigures, names }: NodePlace): PlanNode {
  const read = textOf(json["Relation Name"] ?? json["CTE Name"] ?? json["Function Name"]);
  const relation = read !== undefined && (names?.has(read) ?? true) ? read : undefined;
  const index = names ? undefined : textOf(json["Index Name"]);
  const join = textOf(json["Join Type"]);
  return {
    id,
    parent,
    type: textOf(json["Node Type"]) ?? "Other",
    ...(relation !== undefined && { relation }),
    ...(index !== undefined && { index }),
    ...(join !== undefined && { join }),
    ...(hasFigures && toFigures(json)),
  };
}

function toFigures(json: Json): Partial<PlanNode> {
  const condition = CONDITIONS.map((name) => textOf(json[name]))
    .filter((text) => text !== undefined)
    .join(" and ");
  const loops = numberOf(json["Actual Loops"]);
  const times = (name: string): number | undefined => {
    const each = numberOf(json[name]);
    return each === undefined || loops === undefined ? undefined : each * loops;
  };
  const figures = {
    estimatedRows: numberOf(json["Plan Rows"]),
    estimatedCost: numberOf(json["Total Cost"]),
    rows: times("Actual Rows"),
    removedRows: times("Rows Removed by Filter"),
    durationMs: times("Actual Total Time"),
  };
  const known = Object.entries(figures).filter(([, value]) => value !== undefined);
  return { ...(condition !== "" && { condition }), ...Object.fromEntries(known) };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return INTERNAL_NAMES.test(value) ? undefined : value;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;
