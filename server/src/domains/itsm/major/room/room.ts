/** The room of a major incident: roles, broadcasts, and the number of affected people. */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import {
  Incident,
  IncidentBroadcast,
  incidentKind,
  incidentStore,
  StatusNotice,
} from "../../incidents/index.ts";
import { ticketParams } from "../../tickets/index.ts";
import { IncidentRole, readRoles } from "./roles.ts";

const BROADCASTS_MAX = 50;

const Broadcast = Type.Object(
  {
    at: Time,
    by: nullable(Type.String({ description: "Name of the sender" })),
    message: Type.String(),
    statusPage: nullable(StatusNotice),
  },
  { title: "IncidentBroadcast" },
);

const Room = Type.Object(
  {
    incident: Incident,
    roles: Type.Array(IncidentRole),
    broadcasts: Type.Array(Broadcast, { description: `Newest first, at most ${BROADCASTS_MAX}` }),
    children: Type.Object({ total: Type.Integer(), open: Type.Integer() }),
    people: Type.Integer({
      description: "Number of people affected by the incident or its children",
    }),
    declaredAt: nullable(Time),
  },
  { title: "IncidentRoom" },
);

const COUNTS = `
  select count(*) filter (where parent_id = $1)::int as total,
         count(*) filter (where parent_id = $1 and is_open)::int as open,
         count(distinct caller_id)::int as people
    from incidents where id = $1 or parent_id = $1`;

/** Reads the broadcasts, newest first. */
export async function readBroadcasts({ tx }: Pick<ReadContext, "tx">, incidentId: string) {
  const filter = {
    resourceType: "incident",
    resourceId: incidentId,
    type: `^${IncidentBroadcast.type.replace(".", "\\.")}$`,
  };
  const events = await queryEvents(tx, filter, BROADCASTS_MAX);
  return events.map(({ createdAt, actor, data }) => ({
    at: createdAt,
    by: actor.name ?? null,
    message: String(data["message"]),
    // Validated by its schema when it was sent.
    statusPage: (data["statusPage"] as Type.Static<typeof StatusNotice> | undefined) ?? null,
  }));
}

export const getRoom = query({
  id: "major_incidents.room",
  route: `GET ${incidentKind.path}/{id}/room`,
  summary: "Get the room of a major incident",
  description:
    "Returns the roles, the broadcasts and the number of affected people. Also works for other incidents, because the broadcasts of a former major incident are kept.",
  // Requires the permission for all incidents, because it shows the roles and the complete incident.
  permission: incidentKind.reporting.permission,
  params: ticketParams(incidentKind),
  response: item(Room),
  example: { params: { id: "INC0000001" } },
  async run(ctx, { params }) {
    const incident = await incidentStore.get(ctx.tx, params.id);
    const { id } = incident;
    const declared = {
      resourceType: "incident",
      resourceId: id,
      type: "^incident\\.major_declared$",
    };
    const [roles, broadcasts, [counts], [since]] = await Promise.all([
      readRoles(ctx.tx, id),
      readBroadcasts(ctx, id),
      queryRows(ctx.tx, COUNTS, [id]),
      queryEvents(ctx.tx, declared, 1),
    ]);
    return {
      incident,
      roles,
      broadcasts,
      children: { total: Number(counts?.["total"]), open: Number(counts?.["open"]) },
      people: Number(counts?.["people"]),
      declaredAt: since?.createdAt ?? null,
    };
  },
});
