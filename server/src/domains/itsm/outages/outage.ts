/**
 * Outages: major incidents as visible to everyone in the workspace. They contain only the title and the broadcasts of
 * the incident.
 */
import Type, { type Static } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const OutagesRead = permission(
  "outages:read",
  "View outages, and report being affected",
  EVERYONE,
);

export const Outage = Type.Object(
  {
    id: id("inc", "Id of the major incident"),
    title: Type.String(),
    message: nullable(Type.String({ description: "The last broadcast" })),
    toldAt: nullable(Time),
    since: Time,
    state: Type.Enum(["ongoing", "over"], {
      description: "`over`: for one day after the resolution",
    }),
    overAt: nullable(Time),
    affected: Type.Integer({ description: "Number of members who reported being affected" }),
    isAffected: Type.Boolean({ description: "Whether you reported that you are affected" }),
  },
  { title: "Outage" },
);
export type Outage = Static<typeof Outage>;

export const AffectedReported = event("incident.affected_reported", {
  resource: "incident",
  summary: "A person reported that an outage affects them.",
  data: Type.Object(
    { userId: Type.String(), affected: Type.Integer() },
    { title: "AffectedReportedData" },
  ),
});

const OUTAGES_MAX = 20;
const OVER_HOURS = 24;

const OUTAGES = `
  select i.id, i.title, i.broadcast as message, i.broadcast_at as "toldAt", i.major_since as since,
         case when i.is_open then 'ongoing' else 'over' end as state,
         case when i.is_open then null else i.resolved_at end as "overAt",
         (select count(*)::int from outage_affected a where a.incident_id = i.id) as affected,
         exists (select from outage_affected a where a.incident_id = i.id and a.user_id = $1)
           as "isAffected"
    from incidents i
   where i.major_since is not null
     and (i.is_open or (i.state in ('resolved', 'closed')
          and i.resolved_at > $2::timestamptz - interval '${OVER_HOURS} hours'))`;

/** Lists current and recently ended outages, newest first. */
export async function listOutages(tx: Tx, userId: string, now: Date): Promise<readonly Outage[]> {
  const text = `${OUTAGES} order by i.is_open desc, i.major_since desc limit ${OUTAGES_MAX}`;
  return queryRows<Outage>(tx, text, [userId, now]);
}

export async function findOutage(
  tx: Tx,
  {
    id: incidentId,
    userId,
    now,
  }: { readonly id: string; readonly userId: string; readonly now: Date },
): Promise<Outage | undefined> {
  const [row] = await queryRows<Outage>(tx, `${OUTAGES} and i.id = $3`, [userId, now, incidentId]);
  return row;
}

/** Finds the people who reported being affected. */
export async function findAffected(tx: Tx, incidentId: string): Promise<readonly string[]> {
  const text = 'select user_id as "userId" from outage_affected where incident_id = $1 order by 1';
  return (await queryRows(tx, text, [incidentId])).map(({ userId }) => String(userId));
}
