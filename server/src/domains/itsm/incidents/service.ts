import {
  assertReferencesExist,
  authorOf,
  readTicketSettings,
  priorityOf,
  setItems,
  type TicketNumber,
} from "../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import {
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentCreated,
  IncidentEscalated,
  IncidentReopened,
  IncidentResolved,
  IncidentUpdated,
} from "./incident.ts";
import {
  type Action,
  assigns,
  incidentEventData,
  escalates,
  type Incident,
  type IncidentData,
  OPEN_STATES,
  incidentRef,
  type Severity,
} from "./incident.ts";
import {
  applyTransition,
  escalated,
  type TransitionContext,
  type TransitionResult,
  resolvedBy,
  restated,
  type StateChange,
} from "./lifecycle.ts";
import { IncidentsResolve } from "./incident.ts";
import * as store from "./store.ts";

/** What may be said of an incident from outside. */
export type Told = Partial<
  Pick<
    IncidentData,
    | "title"
    | "description"
    | "impact"
    | "urgency"
    | "severity"
    | "category"
    | "callerId"
    | "assigneeId"
    | "teamId"
    | "ciIds"
  >
>;

/** Raises one. */
export async function create(
  ctx: WriteContext<typeof IncidentCreated | typeof IncidentAssigned>,
  told: Told & { readonly title: string },
  number: TicketNumber,
): Promise<Incident> {
  const { impact = 3, urgency = 3 } = told;
  const [settings] = await Promise.all([readTicketSettings(ctx.tx), assertNamed(ctx, told)]);
  const { at, by } = momentOf(ctx);
  const incident: Incident = {
    ...BLANK,
    callerId: ctx.caller.principal?.id ?? null,
    ...told,
    ciIds: itemsIn(told.ciIds ?? []),
    id: newId("inc", ctx.now.getTime()),
    number: number.number,
    priority: priorityOf(settings, impact, urgency),
    createdBy: by,
    createdAt: at,
    updatedAt: at,
  };
  store.insert(ctx, incident, number);
  if (incident.ciIds.length > 0) await setItems(ctx.tx, ticketOf(incident), incident.ciIds);
  ctx.emit(IncidentCreated, incidentRef(incident), incidentEventData(incident));
  if (assigns(undefined, incident)) {
    ctx.emit(IncidentAssigned, incidentRef(incident), incidentEventData(incident));
  }
  return incident;
}

const BLANK = {
  description: "",
  state: "new",
  impact: 3,
  urgency: 3,
  severity: "medium",
  category: "",
  assigneeId: null,
  teamId: null,
  onHoldReason: null,
  resolution: null,
  resolutionCode: null,
  resolvedAt: null,
  resolvedBy: null,
  closedAt: null,
  reopenCount: 0,
  isMajor: false,
  parentId: null,
  revision: 1,
} as const;

type Amending = WriteContext<
  typeof IncidentUpdated | typeof IncidentAssigned | typeof IncidentEscalated
>;
type Updating = WriteContext<
  | typeof IncidentUpdated
  | typeof IncidentAssigned
  | typeof IncidentEscalated
  | typeof IncidentResolved
  | typeof IncidentClosed
  | typeof IncidentReopened
  | typeof IncidentCancelled
>;

/** Changes what is told of an incident, its state among it. What is like that already is no change. */
export async function change(
  ctx: Updating,
  ref: string,
  { state, onHoldReason, resolution, resolutionCode, ...told }: Told & StateChange,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  if (state === "resolved" && state !== before.state) assertMayResolve(ctx.caller);
  const restating = { state, onHoldReason, resolution, resolutionCode };
  const { incident, action } = restated(before, restating, momentOf(ctx));
  await assertNamed(ctx, told);
  const next = { ...incident, ...told, ...(told.ciIds && { ciIds: itemsIn(told.ciIds) }) };
  if (next.impact !== before.impact || next.urgency !== before.urgency) {
    next.priority = priorityOf(await readTicketSettings(ctx.tx), next.impact, next.urgency);
  }
  const now = await amend(ctx, before, next);
  tellOf(ctx, now, action);
  return now;
}

/** Gives it to somebody, to a team, or to nobody. */
export async function assign(
  ctx: Amending,
  ref: string,
  to: Pick<Told, "assigneeId" | "teamId">,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  await assertNamed(ctx, to);
  return amend(ctx, before, { ...before, ...to });
}

/** Writes what became of an incident, if anything did, and tells it. */
async function amend(ctx: Amending, before: Incident, next: Incident): Promise<Incident> {
  const { changes } = diffResource(incidentEventData(before), incidentEventData(next));
  if (changes.length === 0) return before;
  if (changes.includes("ciIds")) await setItems(ctx.tx, ticketOf(next), next.ciIds);
  const now = write(ctx, next);
  ctx.emit(
    IncidentUpdated,
    incidentRef(now),
    diffResource(incidentEventData(before), incidentEventData(now)),
  );
  if (assigns(before, now)) ctx.emit(IncidentAssigned, incidentRef(now), incidentEventData(now));
  if (escalates(before, now)) {
    ctx.emit(IncidentEscalated, incidentRef(now), { ...incidentEventData(now), reason: null });
  }
  return now;
}

/** The event of a state's own, where going there has one. */
function tellOf(ctx: Updating, incident: Incident, action: Action | undefined): void {
  const data = incidentEventData(incident);
  if (action === "resolve") ctx.emit(IncidentResolved, incidentRef(incident), data);
  if (action === "close") ctx.emit(IncidentClosed, incidentRef(incident), data);
  if (action === "reopen")
    ctx.emit(IncidentReopened, incidentRef(incident), { ...data, reason: null });
  if (action === "cancel") {
    ctx.emit(IncidentCancelled, incidentRef(incident), { ...data, reason: null });
  }
}

/** Resolves an incident and, where that is asked for, those of its children that are open. */
export async function resolve(
  ctx: WriteContext<typeof IncidentResolved>,
  ref: string,
  { withChildren, ...outcome }: TransitionResult & { readonly withChildren: boolean },
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const moment = momentOf(ctx);
  const now = write(ctx, resolvedBy(before, outcome, moment));
  ctx.emit(IncidentResolved, incidentRef(now), incidentEventData(now));
  const children = withChildren ? await store.lockChildren(ctx.tx, before.id) : [];
  for (const child of children.filter(({ state }) => OPEN_STATES.includes(state))) {
    const done = write(ctx, resolvedBy(child, outcome, moment));
    ctx.emit(IncidentResolved, incidentRef(done), incidentEventData(done));
  }
  return now;
}

/** Closes a resolved one. */
export async function close(
  ctx: WriteContext<typeof IncidentClosed>,
  ref: string,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  return closeLocked(ctx, before);
}

/** Closes one that is locked. */
export function closeLocked(
  ctx: WriteContext<typeof IncidentClosed>,
  incident: Incident,
): Incident {
  const now = write(ctx, applyTransition(incident, "close", momentOf(ctx)));
  ctx.emit(IncidentClosed, incidentRef(now), incidentEventData(now));
  return now;
}

/** Has it worked on again. */
export async function reopen(
  ctx: WriteContext<typeof IncidentReopened>,
  ref: string,
  reason: string | null,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const now = write(ctx, applyTransition(before, "reopen", momentOf(ctx)));
  ctx.emit(IncidentReopened, incidentRef(now), { ...incidentEventData(now), reason });
  return now;
}

/** Ends it without a resolution. */
export async function cancel(
  ctx: WriteContext<typeof IncidentCancelled>,
  ref: string,
  reason: string | null,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const now = write(ctx, applyTransition(before, "cancel", momentOf(ctx)));
  ctx.emit(IncidentCancelled, incidentRef(now), { ...incidentEventData(now), reason });
  return now;
}

/** Raises its severity, gives it to another team, or both. */
export async function escalate(
  ctx: WriteContext<typeof IncidentEscalated>,
  ref: string,
  { reason, ...to }: { readonly severity?: Severity; readonly teamId?: string; reason: string },
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const next = escalated(before, to);
  await assertNamed(ctx, to);
  const now = write(ctx, next);
  ctx.emit(IncidentEscalated, incidentRef(now), { ...incidentEventData(now), reason });
  return now;
}

/** Writes an incident that is locked, as its next revision. */
export function write(ctx: Pick<WriteContext, "send" | "now">, incident: Incident): Incident {
  const { revision } = incident;
  const now = { ...incident, updatedAt: ctx.now.toISOString(), revision: revision + 1 };
  store.update(ctx, now);
  return now;
}

function momentOf({ now, caller }: Pick<WriteContext, "now" | "caller">): TransitionContext {
  return { at: now.toISOString(), by: authorOf(caller) };
}

function assertNamed(ctx: ReadContext, { assigneeId, callerId, teamId, ciIds }: Told) {
  const users = { "/assigneeId": assigneeId, "/callerId": callerId };
  return assertReferencesExist(ctx, { users, teamId, ciIds });
}

/** To PATCH it resolved is to resolve it, which not everyone may who may change it. */
function assertMayResolve({ permissions }: Caller): void {
  const { name } = IncidentsResolve;
  if (permissions.has(name)) return;
  throw new Failure(Forbidden, { detail: `This needs the permission ${name}.` });
}

function ticketOf({ id }: Incident) {
  return { kind: "incident", id } as const;
}

/** As they are read back: each once, in the order of ids. */
function itemsIn(ciIds: readonly string[]): string[] {
  return [...new Set(ciIds)].toSorted();
}
