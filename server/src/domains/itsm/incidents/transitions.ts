import Type, { type Static } from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { emitRouting, routeTicket } from "../assignment/index.ts";
import {
  applyRating,
  assertMayRate,
  getTicketIdentity,
  invalidTransition,
  NotYoursToRate,
  RatingFixed,
  RatingInput,
} from "../tickets/index.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  DEFAULT_RESOLUTION_CODE,
  type Incident,
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentEscalated,
  incidentMachine,
  IncidentRated,
  IncidentReopened,
  IncidentResolved,
  IncidentsOwn,
  IncidentsResolve,
  isAssignment,
  OPEN_STATES,
  OptionalReason,
  Reason,
  Resolution,
  ResolutionCode,
  Severity,
  TeamId,
} from "./incident.ts";
import { incidentCommands, incidentKind, IncidentRouted } from "./kind.ts";
import { applyEscalation, applyIncidentTransition } from "./lifecycle.ts";
import { assertIncidentReferences } from "./service.ts";
import { incidentStore, lockChildren } from "./store.ts";

const { command, transition, perform, save, emit } = incidentCommands;

const ResolveBody = object({
  resolution: Resolution,
  resolutionCode: Type.Optional(ResolutionCode),
  resolveChildren: Type.Optional(Type.Boolean()),
});
type ResolveBody = Static<typeof ResolveBody>;

const resolveIncident = transition("resolve", {
  effect: "ordinary",
  summary: "Resolve an incident",
  description:
    "Default code: `solved`. `resolveChildren` also resolves its open children. Resolved incidents are closed automatically after the number of days in the desk settings.",
  permission: IncidentsResolve,
  body: ResolveBody,
  example: { resolution: "Replaced the disk", resolutionCode: "solved" },
  event: IncidentResolved,
  fields: (_ctx, _incident, body) => resolutionOf(body),
  effects: resolveChildren,
});

async function resolveChildren(
  ctx: WriteContext<typeof IncidentResolved>,
  parent: Incident,
  body: ResolveBody,
): Promise<void> {
  if (!body.resolveChildren) return;
  const fields = resolutionOf(body);
  for (const child of await lockChildren(ctx.tx, parent.id)) {
    if (!OPEN_STATES.includes(child.state)) continue;
    await perform(ctx, child, { action: "resolve", event: IncidentResolved, fields });
  }
}

function resolutionOf({ resolution, resolutionCode = DEFAULT_RESOLUTION_CODE }: ResolveBody) {
  return { resolution, resolutionCode };
}

const escalateIncident = command("escalate", {
  effect: "ordinary",
  summary: "Escalate an incident",
  description:
    "Raises the severity, assigns another team, or both. At least one of them must change (otherwise 422).",
  body: object({
    severity: Type.Optional(Severity),
    teamId: Type.Optional(TeamId),
    reason: Reason,
  }),
  example: { severity: "critical", reason: "The whole site is down" },
  states: OPEN_STATES,
  emits: [IncidentEscalated],
  fails: [incidentMachine.wrongState],
  async run(ctx, before, { reason, ...to }) {
    const next = applyEscalation(before, to);
    await assertIncidentReferences(ctx, to);
    const after = await save(ctx, before, next);
    emit(ctx, IncidentEscalated, after, { reason });
    return after;
  },
});

const closeIncident = transition("close", {
  effect: "ordinary",
  summary: "Close a resolved incident",
  description: "The caller of the incident can also close it.",
  forAskers: true,
  event: IncidentClosed,
});

const reopenOperation = command("reopen", {
  effect: "ordinary",
  summary: "Reopen a resolved or closed incident",
  description:
    "Clears the resolution and the rating, and increases `reopenCount`. The caller of the incident can also reopen it.",
  forAskers: true,
  body: OptionalReason,
  example: { reason: "The error occurred again" },
  emits: [IncidentReopened, IncidentAssigned, IncidentRouted],
  fails: [incidentMachine.wrongState],
  run: (ctx, incident, { reason = null }) => reopen(ctx, incident, reason),
});

type ReopenContext = WriteContext<
  typeof IncidentReopened | typeof IncidentAssigned | typeof IncidentRouted
>;

/** Reopens a locked incident. If its assignee is absent, the rules assign it again. */
async function reopen(
  ctx: ReopenContext,
  before: Incident,
  reason: string | null,
): Promise<Incident> {
  const context = { at: ctx.now.toISOString(), by: authorOf(ctx.caller) };
  const next = applyIncidentTransition(before, "reopen", context);
  const routing = await routeTicket(ctx, incidentKind, "reopened", next);
  const after = await save(ctx, before, { ...next, ...routing?.fields });
  emit(ctx, IncidentReopened, after, { reason });
  if (isAssignment(before, after)) emit(ctx, IncidentAssigned, after);
  emitRouting(ctx, incidentKind, after, routing);
  return after;
}

/** Reopens a resolved incident after a message that called no operation. */
export async function reopenIncident(
  ctx: ReopenContext,
  id: string,
  reason: string,
): Promise<void> {
  await reopen(ctx, await incidentStore.lock(ctx.tx, id), reason);
}

const cancelIncident = transition("cancel", {
  effect: "drastic",
  summary: "Cancel an incident",
  description: "The caller of the incident can also cancel it.",
  forAskers: true,
  body: OptionalReason,
  example: { reason: "Duplicate" },
  event: IncidentCancelled,
  details: (_ctx, _incident, { reason = null }) => ({ reason }),
});

const rateIncident = command("rate", {
  effect: "ordinary",
  summary: "Rate the resolution of your incident",
  description:
    "The caller of the incident can rate it when it is resolved or closed, and change the rating for seven days. Reopening the incident deletes the rating. If nothing changes, no event is appended.",
  permission: IncidentsOwn,
  body: RatingInput,
  example: { satisfaction: 5, comment: "Fast and friendly." },
  emits: [IncidentRated],
  allowNoop: true,
  fails: [incidentMachine.wrongState, NotYoursToRate, RatingFixed],
  async run(ctx, before, rating) {
    assertMayRate(ctx.caller, await getTicketIdentity(ctx, incidentKind, before.id));
    return rateTicket(ctx, before, rating);
  },
});

/** Rates a resolved or closed incident. */
export async function rateTicket(
  ctx: WriteContext<typeof IncidentRated>,
  before: Incident,
  rating: Static<typeof RatingInput>,
): Promise<Incident> {
  const { state } = before;
  if (state !== "resolved" && state !== "closed") {
    throw invalidTransition(
      incidentMachine,
      state,
      `An incident in the state ${state} can't be rated.`,
    );
  }
  const next = applyRating(before, rating, ctx.now);
  if (next === before) return before;
  const after = await save(ctx, before, next);
  emit(ctx, IncidentRated, after);
  return after;
}

export const incidentTransitions = [
  resolveIncident,
  escalateIncident,
  closeIncident,
  reopenOperation,
  cancelIncident,
  rateIncident,
];
