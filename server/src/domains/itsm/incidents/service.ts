import {
  assertReferencesExist,
  checkLabels,
  computePriority,
  type Labels,
  readTicketSettings,
  UNRATED,
  type TicketNumber,
} from "../tickets/index.ts";
import { emitRouting, routeTicket } from "../assignment/index.ts";
import { authorOf, type Caller } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import {
  type Action,
  type Incident,
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentCreated,
  type IncidentData,
  IncidentEscalated,
  incidentEventData,
  type incidentFields,
  IncidentReopened,
  IncidentResolved,
  IncidentsResolve,
  IncidentUpdated,
  isAssignment,
  isEscalation,
  OPEN_STATES,
} from "./incident.ts";
import { assertMayRaise } from "./access.ts";
import { incidentCommands, incidentKind, type IncidentRouted } from "./kind.ts";
import { applyStateChange, type StateChange } from "./lifecycle.ts";
import { scheduleResume } from "./hold/hold-until.ts";
import { incidentStore } from "./store.ts";

const { emit } = incidentCommands;

export type IncidentInput = Labels & Partial<Pick<IncidentData, keyof typeof incidentFields>>;

const INCIDENT_DEFAULTS = {
  description: "",
  state: "new",
  impact: 3,
  urgency: 3,
  severity: "medium",
  category: "",
  assigneeId: null,
  teamId: null,
  onHoldReason: null,
  holdUntil: null,
  mergedIntoId: null,
  resolution: null,
  resolutionCode: null,
  resolvedAt: null,
  resolvedBy: null,
  closedAt: null,
  reopenCount: 0,
  isMajor: false,
  parentId: null,
  ...UNRATED,
  revision: 1,
} as const;

export async function createIncident(
  ctx: WriteContext<typeof IncidentCreated | typeof IncidentAssigned | typeof IncidentRouted>,
  input: IncidentInput & { readonly title: string },
  number: TicketNumber,
): Promise<Incident> {
  assertMayRaise(ctx.caller, input);
  const { impact = 3, urgency = 3 } = input;
  const [settings, labels] = await Promise.all([
    readTicketSettings(ctx.tx),
    checkLabels(ctx, "incident", input),
    assertIncidentReferences(ctx, input),
  ]);
  const at = ctx.now.toISOString();
  const draft: Incident = {
    ...INCIDENT_DEFAULTS,
    callerId: callerIdOf(ctx.caller),
    ...input,
    ...labels,
    ciIds: toItemIds(input.ciIds ?? []),
    id: newId("inc", ctx.now.getTime()),
    number: number.number,
    priority: computePriority(settings, impact, urgency),
    createdBy: authorOf(ctx.caller),
    createdAt: at,
    updatedAt: at,
  };
  const routing = await routeTicket(ctx, incidentKind, "created", draft);
  const incident = { ...draft, ...routing?.fields };
  await incidentStore.insert(ctx, incident, number);
  emit(ctx, IncidentCreated, incident);
  if (isAssignment(undefined, incident)) emit(ctx, IncidentAssigned, incident);
  emitRouting(ctx, incidentKind, incident, routing);
  return incident;
}

type UpdateContext = WriteContext<
  | typeof IncidentUpdated
  | typeof IncidentAssigned
  | typeof IncidentEscalated
  | typeof IncidentRouted
>;
type TransitionContext = WriteContext<
  | typeof IncidentResolved
  | typeof IncidentClosed
  | typeof IncidentReopened
  | typeof IncidentCancelled
>;

/** Changes fields of an incident, including its state. */
export async function updateIncident(
  ctx: UpdateContext & TransitionContext,
  before: Incident,
  {
    state,
    onHoldReason,
    holdUntil,
    resolution,
    resolutionCode,
    ...input
  }: IncidentInput & StateChange,
): Promise<Incident> {
  if (state === "resolved" && state !== before.state) assertMayResolve(ctx.caller);
  const { incident, action } = applyStateChange(
    before,
    { state, onHoldReason, holdUntil, resolution, resolutionCode },
    { at: ctx.now.toISOString(), by: authorOf(ctx.caller) },
  );
  const [labels] = await Promise.all([
    checkLabels(ctx, "incident", input, before),
    assertIncidentReferences(ctx, input),
  ]);
  const ciIds = input.ciIds && { ciIds: toItemIds(input.ciIds) };
  const next = { ...incident, ...input, ...labels, ...ciIds };
  if (next.impact !== before.impact || next.urgency !== before.urgency) {
    next.priority = computePriority(await readTicketSettings(ctx.tx), next.impact, next.urgency);
  }
  scheduleResume(ctx, before, next);
  const after = await saveChanges(ctx, before, next);
  emitTransition(ctx, after, action);
  return after;
}

/** Writes and emits the changes of an incident, if any. */
export async function saveChanges(
  ctx: UpdateContext,
  before: Incident,
  next: Incident,
): Promise<Incident> {
  const { changes } = diffResource(incidentEventData(before), incidentEventData(next));
  if (changes.length === 0) return before;
  // Rules apply to a ticket moved to another team without an assignee.
  const isMoved =
    next.teamId !== null &&
    next.teamId !== before.teamId &&
    next.assigneeId === before.assigneeId &&
    OPEN_STATES.includes(next.state);
  const routing = isMoved
    ? await routeTicket(ctx, incidentKind, "team_changed", { ...next, assigneeId: null })
    : undefined;
  const routed = { ...next, ...routing?.fields };
  const after = await incidentCommands.saveChanges(ctx, before, routed, IncidentUpdated);
  if (isAssignment(before, after)) emit(ctx, IncidentAssigned, after);
  if (isEscalation(before, after)) emit(ctx, IncidentEscalated, after, { reason: null });
  emitRouting(ctx, incidentKind, after, routing);
  return after;
}

/** Emits the event of the action equivalent to a PATCH, if the action has one. */
function emitTransition(
  ctx: TransitionContext,
  incident: Incident,
  action: Action | undefined,
): void {
  if (action === "resolve") emit(ctx, IncidentResolved, incident);
  if (action === "close") emit(ctx, IncidentClosed, incident);
  if (action === "reopen") emit(ctx, IncidentReopened, incident, { reason: null });
  if (action === "cancel") emit(ctx, IncidentCancelled, incident, { reason: null });
}

/** Throws 422 if the input references something that does not exist. */
export function assertIncidentReferences(
  ctx: ReadContext,
  { assigneeId, callerId, teamId, ciIds }: IncidentInput,
): Promise<void> {
  const [users, people] = [{ "/assigneeId": assigneeId }, { "/callerId": callerId }];
  return assertReferencesExist(ctx, { users, people, teamId, ciIds });
}

/** A PATCH to resolved requires the permission to resolve. */
function assertMayResolve({ permissions }: Caller): void {
  const { name } = IncidentsResolve;
  if (permissions.has(name)) return;
  throw new Failure(Forbidden, { detail: `This requires the permission ${name}.` });
}

/** Unique ids in their stored order. */
function toItemIds(ciIds: readonly string[]): string[] {
  return [...new Set(ciIds)].toSorted();
}

/** The default caller of an incident: the creator, or none for an automation. */
function callerIdOf({ actor, principal }: Caller): string | null {
  return actor.type === "workflow" ? null : (principal?.id ?? null);
}
