import {
  assertReferencesExist,
  authorOf,
  ticketRefOf,
  setItems,
  type TicketNumber,
  invalidTransition,
} from "../tickets/index.ts";
import { diffResource } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type IncidentLinked,
  type IncidentUnlinked,
  ProblemCreated,
  ProblemUpdated,
} from "./events.ts";
import { assertIncidents, link, unlink } from "./linked-incidents.ts";
import {
  acted,
  edited,
  type Problem,
  type ProblemData,
  problemMachine,
  type Said,
} from "./problem.ts";
import * as store from "./store.ts";

const PRIORITY_DEFAULT = 3;

/** What a new problem is to be. */
export type Draft = Pick<ProblemData, "title"> &
  Partial<
    Pick<
      ProblemData,
      "description" | "priority" | "assigneeId" | "teamId" | "ciIds" | "rootCause" | "workaround"
    >
  > & { readonly incidentIds?: readonly string[] };

export async function create(
  ctx: WriteContext<typeof ProblemCreated | typeof IncidentLinked>,
  { incidentIds = [], ...draft }: Draft,
  { no, number }: TicketNumber,
): Promise<Problem> {
  const { assigneeId = null, teamId = null, ciIds = [] } = draft;
  const [, incidents] = await Promise.all([
    assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds }),
    assertIncidents(ctx, incidentIds),
  ]);
  const at = ctx.now.toISOString();
  const problem: Problem = {
    id: newId("prb", ctx.now.getTime()),
    number,
    state: "open",
    description: "",
    priority: PRIORITY_DEFAULT,
    rootCause: null,
    workaround: null,
    ...draft,
    assigneeId,
    teamId,
    ciIds: ciIds.toSorted(),
    resolution: null,
    knownErrorAt: null,
    resolvedAt: null,
    closedAt: null,
    createdBy: authorOf(ctx.caller),
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  store.insert(ctx, problem, no);
  if (ciIds.length > 0) await setItems(ctx.tx, { kind: "problem", id: problem.id }, ciIds);
  ctx.emit(ProblemCreated, refer(problem), dataOf(problem));
  await link(ctx, problem, incidents);
  return problem;
}

export type Edit = Partial<
  Pick<
    ProblemData,
    | "title"
    | "description"
    | "priority"
    | "assigneeId"
    | "teamId"
    | "ciIds"
    | "rootCause"
    | "workaround"
  >
>;

export async function update(
  ctx: WriteContext<typeof ProblemUpdated>,
  ref: string,
  edit: Edit,
): Promise<Problem> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  if (before.state === "closed") {
    throw invalidTransition(problemMachine, before.state, "A closed problem is not edited.");
  }
  const change = { ...edit, ...(edit.ciIds && { ciIds: edit.ciIds.toSorted() }) };
  const after = edited(before, change, ctx.now);
  if (after === before) return before;
  const { assigneeId, teamId, ciIds } = edit;
  await assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds });
  if (ciIds) await setItems(ctx.tx, { kind: "problem", id: before.id }, ciIds);
  store.update(ctx, after);
  ctx.emit(ProblemUpdated, refer(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

/** Takes a problem from one state to another; whoever asks for it tells of it. */
export async function act(
  ctx: WriteContext<never>,
  ref: string,
  action: Parameters<typeof acted>[1],
  said: Said = {},
): Promise<Problem> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const after = acted(before, action, said, ctx.now);
  store.update(ctx, after);
  return after;
}

/** Links incidents to a problem. Those that are linked already stay so, and nothing is told of them. */
export async function linkIncidents(
  ctx: WriteContext<typeof IncidentLinked>,
  ref: string,
  incidentIds: readonly string[],
): Promise<Problem> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const linked = await link(ctx, before, await assertIncidents(ctx, incidentIds));
  return linked === 0 ? before : touched(ctx, before);
}

export async function unlinkIncident(
  ctx: WriteContext<typeof IncidentUnlinked>,
  ref: string,
  incidentId: string,
): Promise<void> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  await unlink(ctx, before, incidentId);
  touched(ctx, before);
}

/** A problem is shown with its incidents, so that it is another one when they are others. */
function touched(ctx: WriteContext<never>, before: Problem): Problem {
  const revision = before.revision + 1;
  const after = { ...before, updatedAt: ctx.now.toISOString(), revision };
  store.update(ctx, after);
  return after;
}

/** How events name a problem. */
export function refer(problem: Problem) {
  return ticketRefOf({ ...problem, kind: "problem" });
}

/** A problem as events tell of it. */
export function dataOf({ revision: _, ...data }: Problem): ProblemData {
  return data;
}
