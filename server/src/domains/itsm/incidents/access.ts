/** Access of requesters and watchers to incidents without the read permission. */
import { isParty, type OwnTickets, type TicketIdentity, watchedSql } from "../tickets/index.ts";
import { ownContactsSql } from "../contacts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { Incident, IncidentsRead, IncidentsWrite } from "./incident.ts";

/** Incidents visible to their creator, caller and watchers. */
export const ownIncidents: OwnTickets = {
  sql: (person) =>
    `created_by = ${person} or caller_id = ${person}
     or caller_id = any (array(${ownContactsSql(person)})) or ${watchedSql(person)}`,
  schema: Incident,
  fields: [
    "id",
    "number",
    "title",
    "description",
    "state",
    "impact",
    "urgency",
    "severity",
    "priority",
    "callerId",
    "assigneeId",
    "onHoldReason",
    "holdUntil",
    "resolution",
    "resolvedAt",
    "resolvedBy",
    "closedAt",
    "reopenCount",
    "satisfaction",
    "satisfactionComment",
    "ratedAt",
    "createdBy",
    "createdAt",
    "updatedAt",
  ],
  events: [
    "created",
    "updated",
    "comment_added",
    "attachment_added",
    "attachment_removed",
    "resolved",
    "closed",
    "reopened",
    "cancelled",
    "merged",
    "unmerged",
    "rated",
    "resumed",
  ],
};

/** True if a member sees an incident; without an incident, true if the member sees all. */
export function canSeeIncidents(
  viewer: Pick<Caller, "permissions" | "principal">,
  incident?: TicketIdentity,
): boolean {
  const { permissions } = viewer;
  if (permissions.has(IncidentsRead.name) || permissions.has(IncidentsWrite.name)) return true;
  return incident !== undefined && isParty(viewer, incident);
}

/** The fields of a new incident that requesters can set. */
const RAISED_FIELDS = ["title", "description", "callerId"];

/** Throws 422 if a requester sets other fields. */
export function assertMayRaise(
  { permissions, principal }: Caller,
  input: Readonly<Record<string, unknown>>,
): void {
  if (permissions.has(IncidentsWrite.name)) return;
  const message = `requires the permission ${IncidentsWrite.name}`;
  const others = Object.keys(input).filter((name) => !RAISED_FIELDS.includes(name));
  const { callerId } = input;
  const isForOther = callerId !== undefined && callerId !== principal?.id;
  assertNoErrors([
    ...others.map((name) => ({ path: `/${name}`, message })),
    ...(isForOther
      ? [{ path: "/callerId", message: `must be your own id: another ${message}` }]
      : []),
  ]);
}
