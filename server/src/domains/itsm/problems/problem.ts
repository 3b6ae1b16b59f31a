/** The problem model (pure functions). */
import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import {
  nextState,
  OptionalLabels,
  stateMachine,
  type TransitionContext,
} from "../tickets/index.ts";

const TITLE_CHARACTERS_MAX = 300;
const TEXT_CHARACTERS_MAX = 50_000;
const ITEMS_MAX = 100;

export const problemMachine = stateMachine({
  kind: "problem",
  states: ["open", "investigating", "known_error", "resolved", "closed"],
  finalStates: ["closed"],
  transitions: [
    { action: "investigate", from: ["open"], to: "investigating" },
    { action: "declare_known_error", from: ["open", "investigating"], to: "known_error" },
    { action: "resolve", from: ["open", "investigating", "known_error"], to: "resolved" },
    { action: "close", from: ["resolved"], to: "closed" },
    { action: "reopen", from: ["resolved", "closed"], to: "investigating" },
  ],
});
export type ProblemState = (typeof problemMachine.states)[number];

const note = (description: string) =>
  nullable(Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_MAX, description }));

/** The fields that people set and change. */
export const problemFields = {
  title: line(TITLE_CHARACTERS_MAX),
  description: text(TEXT_CHARACTERS_MAX),
  priority: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: "Priority from 1 (critical) to 5 (planning)",
  }),
  assigneeId: nullable(id("usr", "The assigned member")),
  teamId: nullable(id("tem", "The assigned team")),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    uniqueItems: true,
    description: "The affected configuration items",
  }),
  rootCause: note("Root cause"),
  workaround: note("Workaround. Shown on linked incidents"),
};

/** Text for a resolution, cause or workaround. */
export const Resolution = Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_MAX });

export const Problem = Type.Object(
  {
    id: id("prb"),
    number: Type.String(),
    state: Type.Enum([...problemMachine.states]),
    ...problemFields,
    ...OptionalLabels,
    resolution: note("Description of the resolution"),
    knownErrorAt: nullable(Time),
    resolvedAt: nullable(Time),
    closedAt: nullable(Time),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Problem" },
);
export type ProblemData = Static<typeof Problem>;
export type Problem = ProblemData & { readonly revision: number };

export function problemEventData({ revision: _, ...data }: Problem): ProblemData {
  return data;
}

type Action = (typeof problemMachine.transitions)[number]["action"];

/** The problem after an action. Throws if its state does not allow the action, or a field is missing. */
export function applyProblemTransition(
  problem: Problem,
  action: Action,
  { at }: Pick<TransitionContext, "at">,
  fields: Partial<Problem> = {},
): Problem {
  const state = nextState(problemMachine, problem.state, action);
  const after = { ...problem, ...fields, state };
  switch (action) {
    case "declare_known_error":
      assertExplained(after);
      return { ...after, knownErrorAt: at };
    case "resolve":
      return { ...after, resolvedAt: at };
    case "close":
      return { ...after, closedAt: at };
    case "reopen":
      return { ...after, resolution: null, knownErrorAt: null, resolvedAt: null, closedAt: null };
    case "investigate":
      return after;
  }
}

/** The problem with the changes of an edit. Returns the same object without changes. */
export function applyEdit(problem: Problem, change: Partial<ProblemData>): Problem {
  const names = Object.keys(change) as (keyof ProblemData)[];
  const isSame = (name: keyof ProblemData): boolean =>
    JSON.stringify(change[name]) === JSON.stringify(problem[name]);
  if (names.every(isSame)) return problem;
  const after = { ...problem, ...change };
  if (after.state === "known_error") assertExplained(after);
  return after;
}

/** Throws 422 unless the problem has a cause and a workaround, which a known error requires. */
function assertExplained({ rootCause, workaround }: ProblemData): void {
  const errors: FieldError[] = Object.entries({ rootCause, workaround }).flatMap(([name, value]) =>
    value === null ? [{ path: `/${name}`, message: "is required for a known error" }] : [],
  );
  assertNoErrors(errors);
}

export const ProblemsRead = permission("problems:read", "View problems", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const ProblemsWrite = permission("problems:write", "Create and work on problems", [
  "agent",
  "change_manager",
]);
