/**
 * Duplicates. Merging ends an incident, and agents see its description, comments and attachments in the other
 * incident. Nothing is moved: each caller keeps a separate conversation, and undo only deletes the merge (ADR 0049).
 * Mail replies go to the remaining incident (ADR 0135).
 */
import Type from "typebox";
import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  getTicketIdentity,
  invalidTransition,
  ticketParams,
  ticketRef,
  TicketSummary,
} from "../../tickets/index.ts";
import {
  Incident,
  type IncidentData,
  incidentMachine,
  IncidentsRead,
  IncidentsWrite,
  OPEN_STATES,
} from "../incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind } from "../kind.ts";
import { applyIncidentTransition } from "../lifecycle.ts";
import { countChildren, incidentStore } from "../store.ts";
import { deleteMerge, findMerge, insertMerge, removeWatchers } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const UNDO_DAYS_MAX = 7;

export const IncidentMerged = event("incident.merged", {
  resource: "incident",
  summary: "An incident was merged into another one as a duplicate.",
  data: Type.Object({ ...Incident.properties, into: TicketSummary }),
});
export const DuplicateAdded = event("incident.duplicate_added", {
  resource: "incident",
  summary: "A duplicate was merged into this incident.",
  data: Type.Object({ ...Incident.properties, duplicate: TicketSummary }),
});
export const IncidentUnmerged = event("incident.unmerged", {
  resource: "incident",
  summary: "The merge of an incident into another one was undone.",
  data: Type.Object({ ...Incident.properties, from: TicketSummary }),
});
export const DuplicateRemoved = event("incident.duplicate_removed", {
  resource: "incident",
  summary: "The merge of a duplicate into this incident was undone.",
  data: Type.Object({ ...Incident.properties, duplicate: TicketSummary }),
});
export const mergeEvents = [IncidentMerged, DuplicateAdded, IncidentUnmerged, DuplicateRemoved];

const CantMerge = failure("incident_cant_merge", 409, "The incidents can't be merged.");
const NotMerged = failure(
  "incident_not_merged",
  409,
  "The incident is not merged into another one.",
);
const UndoOver = failure(
  "incident_merge_final",
  409,
  `A merge can only be undone within ${UNDO_DAYS_MAX} days.`,
);

const { path } = incidentKind;
const one = {
  permission: IncidentsWrite,
  params: ticketParams(incidentKind),
  response: item(Incident),
};

export const mergeIncident = command({
  ...one,
  id: "incidents.merge",
  effect: "drastic",
  route: `POST ${path}/{id}/merge`,
  summary: "Merge an incident into another incident",
  description: `Cancels the incident and its SLA clocks, and notifies its caller. The target incident shows the description, comments and attachments of the merged incident. Replies to its e-mails are added to the target incident. Watchers who can view all incidents also watch the target. Both incidents must be open. Major incidents and their children can't be merged. You can undo the merge within ${UNDO_DAYS_MAX} days.`,
  body: object({ intoId: ticketRef("incident", "inc") }),
  states: OPEN_STATES,
  emits: [IncidentMerged, DuplicateAdded],
  fails: [CantMerge, incidentMachine.wrongState],
  example: { params: { id: EXAMPLE_INCIDENT }, body: { intoId: "INC0000002" } },
  async run(ctx, { params, body: { intoId } }) {
    const [source, target] = await lockBoth(ctx, params.id, intoId);
    ctx.expectRevision(source.revision);
    await assertMergeable(ctx, source, target);
    const watcherIds = await moveWatchers(ctx, source.id, target.id);
    await insertMerge(ctx, {
      id: newId("mrg", ctx.now.getTime()),
      linkId: newId("lnk", ctx.now.getTime()),
      sourceId: source.id,
      targetId: target.id,
      stateBefore: source.state,
      watcherIds,
      createdBy: authorOf(ctx.caller),
    });
    const at = { at: ctx.now.toISOString(), by: authorOf(ctx.caller) };
    const ended = applyIncidentTransition(source, "cancel", at);
    const after = await incidentCommands.save(ctx, source, {
      ...ended,
      mergedIntoId: target.id,
    });
    incidentCommands.emit(ctx, IncidentMerged, after, { into: toSummary(target) });
    incidentCommands.emit(ctx, DuplicateAdded, target, { duplicate: toSummary(after) });
    return after;
  },
});

export const unmergeIncident = command({
  ...one,
  id: "incidents.unmerge",
  effect: "ordinary",
  route: `POST ${path}/{id}/unmerge`,
  summary: "Undo the merge of an incident",
  description:
    "Restores the incident: to `new` if no work had started, otherwise to `in_progress`. Its SLA clocks continue without the time of the merge.",
  emits: [IncidentUnmerged, DuplicateRemoved],
  fails: [NotMerged, UndoOver],
  example: { params: { id: EXAMPLE_INCIDENT } },
  async run(ctx, { params }) {
    const { id } = await getTicketIdentity(ctx, incidentKind, params.id);
    const known = await findMerge(ctx.tx, id);
    if (!known) throw new Failure(NotMerged);
    const [source, target] = await lockBoth(ctx, id, known.targetId);
    ctx.expectRevision(source.revision);
    // Another request may have deleted it in the meantime.
    const merge = await deleteMerge(ctx.tx, known.id);
    if (!merge || source.state !== "cancelled") throw new Failure(NotMerged);
    if (ctx.now.getTime() - Date.parse(merge.createdAt) > UNDO_DAYS_MAX * DAY_MS) {
      throw new Failure(UndoOver);
    }
    await removeWatchers(ctx.tx, target.id, merge.watcherIds);
    const at = { at: ctx.now.toISOString(), by: authorOf(ctx.caller) };
    const open = applyIncidentTransition(source, "unmerge", at);
    // The reason of a hold is not stored, so a ticket on hold continues in progress.
    const state = merge.stateBefore === "new" ? "new" : open.state;
    const after = await incidentCommands.save(ctx, source, {
      ...open,
      state,
      mergedIntoId: null,
    });
    incidentCommands.emit(ctx, IncidentUnmerged, after, { from: toSummary(target) });
    incidentCommands.emit(ctx, DuplicateRemoved, target, { duplicate: toSummary(after) });
    return after;
  },
});

export const mergeOperations = [mergeIncident, unmergeIncident];

type LockedIncident = IncidentData & { readonly revision: number };

/** Locks two incidents in a fixed order for both merge directions. */
async function lockBoth(
  ctx: WriteContext<never>,
  sourceRef: string,
  targetRef: string,
): Promise<readonly [LockedIncident, LockedIncident]> {
  const source = await getTicketIdentity(ctx, incidentKind, sourceRef);
  const target = await findTarget(ctx, targetRef);
  if (source.id === target.id) throw invalidField("/intoId", "must be a different incident");
  const where = "id = any ($1::text[]) order by id";
  const locked = await incidentStore.lockWhere(ctx.tx, where, [source.id, target.id]);
  const [first, second] = [source, target].map(({ id }) => locked.find((row) => row.id === id));
  if (!first || !second) throw new Failure(NotFound);
  return [first, second];
}

async function findTarget(ctx: WriteContext<never>, ref: string) {
  try {
    return await getTicketIdentity(ctx, incidentKind, ref);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalidField("/intoId", "is not the id or number of an incident");
  }
}

async function assertMergeable(
  { tx }: WriteContext<never>,
  source: LockedIncident,
  target: LockedIncident,
): Promise<void> {
  if (!OPEN_STATES.includes(source.state)) {
    throw invalidTransition(
      incidentMachine,
      source.state,
      `An incident in the state ${source.state} can't be merged.`,
    );
  }
  if (!OPEN_STATES.includes(target.state)) {
    throw new Failure(CantMerge, {
      detail: `${target.number} is in the state ${target.state}. Choose an open incident.`,
    });
  }
  if (source.isMajor || source.parentId !== null || (await countChildren(tx, source.id)) > 0) {
    throw new Failure(CantMerge, {
      detail: "Major incidents and their children can't be merged.",
    });
  }
}

/** Adds watchers of a duplicate to the other incident, if they can see all incidents. */
async function moveWatchers(
  ctx: WriteContext<never>,
  sourceId: string,
  targetId: string,
): Promise<readonly string[]> {
  const rows = await ctx.tx
    .selectFrom("ticket_watchers")
    .select(["user_id", "invited"])
    .where("ticket_id", "=", sourceId)
    .execute();
  const invited = new Set(rows.filter((row) => row.invited).map(({ user_id }) => user_id));
  const ids = rows.map(({ user_id }) => user_id);
  if (ids.length === 0) return [];
  const readers = await findMembersWithPermission(ctx, IncidentsRead, ids);
  if (readers.size === 0) return [];
  const added = await ctx.tx
    .insertInto("ticket_watchers")
    .values(
      [...readers].map((user_id) => ({
        kind: "incident",
        ticket_id: targetId,
        user_id,
        created_at: ctx.now.toISOString(),
        invited: invited.has(user_id),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .execute();
  return added.map(({ user_id }) => user_id);
}

function toSummary({ id, number, title, state }: IncidentData): TicketSummary {
  return { kind: "incident", id, number, title, state };
}
