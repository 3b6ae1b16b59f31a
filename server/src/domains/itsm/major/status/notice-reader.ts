/** Log reader: creates a notice from a broadcast with public text, and ends it with the incident. */
import { randomBytes } from "node:crypto";
import type { Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { newId } from "#kernel/schema/id.ts";
import { IncidentBroadcast, type StatusNotice } from "../../incidents/index.ts";

type Notice = Static<typeof StatusNotice>;

const PUBLIC_ID_BYTES = 9;
const UNNAMED = "Service disruption";
const ENDS = new Set([
  "incident.resolved",
  "incident.closed",
  "incident.cancelled",
  "incident.major_ended",
]);
const REOPENED = "incident.reopened";

export const noticeReader = reader({
  name: "status.follow_incidents",
  on: [IncidentBroadcast.type, ...ENDS, REOPENED],
  startsAt: "end",
  async handle({ tx }, events) {
    for (const event of events) await applyEvent(tx, event);
  },
});

async function applyEvent(tx: Tx, event: RecordedEvent): Promise<void> {
  const { type, resource, createdAt, data } = event;
  const at = { incidentId: resource.id, at: createdAt };
  if (type === IncidentBroadcast.type) {
    // Validated by its schema when it was sent.
    const notice = data["statusPage"] as Notice | undefined;
    if (notice) await putNotice(tx, notice, { ...at, message: String(data["message"]) });
  } else if (type === REOPENED) {
    await moveNotice(tx, at, {
      status: "investigating",
      message: "The problem has returned. We are investigating.",
    });
  } else await moveNotice(tx, at, { status: "resolved", message: "This incident is resolved." });
}

const PUT = `
  insert into status_notices (incident_id, public_id, title, status, effect, component_ids, started_at, resolved_at)
  values ($1, $2, coalesce($3, '${UNNAMED}'), $4, coalesce($5, 'degraded'), coalesce($6::text[], '{}'), $7,
          case when $4 = 'resolved' then $7::timestamptz end)
  on conflict (incident_id) do update
     set title = coalesce($3, status_notices.title), status = $4,
         effect = coalesce($5, status_notices.effect),
         component_ids = coalesce($6::text[], status_notices.component_ids),
         resolved_at = case when $4 = 'resolved' then $7::timestamptz end`;

interface Moment {
  readonly incidentId: string;
  readonly at: string;
}

async function putNotice(
  tx: Tx,
  { title, status, effect, componentIds }: Notice,
  { incidentId, at, message }: Moment & { readonly message: string },
): Promise<void> {
  const publicId = randomBytes(PUBLIC_ID_BYTES).toString("base64url");
  const values = [incidentId, publicId, title, status, effect, componentIds, at];
  await queryRows(
    tx,
    PUT,
    values.map((value) => value ?? null),
  );
  await addUpdate(tx, { incidentId, at, status, message });
}

const MOVE = `
  update status_notices set status = $2, resolved_at = case when $2 = 'resolved' then $3::timestamptz end
   where incident_id = $1 and (status = 'resolved') <> ($2 = 'resolved') returning incident_id`;

/** Ends an active notice or reactivates it. */
async function moveNotice(
  tx: Tx,
  { incidentId, at }: Moment,
  to: { readonly status: Notice["status"]; readonly message: string },
): Promise<void> {
  const moved = await queryRows(tx, MOVE, [incidentId, to.status, at]);
  if (moved.length > 0) await addUpdate(tx, { incidentId, at, ...to });
}

async function addUpdate(
  tx: Tx,
  update: Moment & { readonly status: string; readonly message: string },
): Promise<void> {
  const { incidentId, at, status, message } = update;
  await tx
    .insertInto("status_updates")
    .values({
      id: newId("stu", Date.parse(at)),
      incident_id: incidentId,
      status,
      message,
      created_at: at,
    })
    .execute();
}
