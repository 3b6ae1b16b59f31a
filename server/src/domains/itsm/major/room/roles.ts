/** The roles of a major incident: lead, communication and technical work. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { Incident, incidentEventData, incidentKind, incidentStore } from "../../incidents/index.ts";
import { assertReferencesExist, ticketParams, ticketRefOf } from "../../tickets/index.ts";

export const ROLES = ["commander", "communications", "operations"] as const;

const RoleName = Type.Enum([...ROLES], {
  description:
    "`commander` leads the response. `communications` informs others. `operations` coordinates the technical work",
});

export const IncidentRole = Type.Object(
  { role: RoleName, userId: id("usr"), since: Time },
  { title: "IncidentRole" },
);
export type IncidentRole = Static<typeof IncidentRole>;

export const RoleAssigned = event("incident.role_assigned", {
  resource: "incident",
  summary: "A role in a major incident was assigned or removed.",
  data: Type.Object({
    ...Incident.properties,
    role: RoleName,
    userId: nullable(Type.String()),
    fromUserId: nullable(Type.String({ description: "Previous holder of the role" })),
  }),
});

export const NotMajor = failure(
  "incident_not_major",
  409,
  "This requires a major incident. Declare the incident a major incident first.",
);

/** Reads the role assignments in role order. */
export async function readRoles(tx: Tx, incidentId: string): Promise<IncidentRole[]> {
  const text = `select role, user_id as "userId", since from incident_roles where incident_id = $1`;
  const rows = await queryRows<IncidentRole>(tx, text, [incidentId]);
  const found = rows;
  return found.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

const SAVE = `
  insert into incident_roles (incident_id, role, user_id, since) values ($1, $2, $3, $4)
  on conflict (incident_id, role) do update set user_id = excluded.user_id, since = excluded.since`;
const REMOVE = "delete from incident_roles where incident_id = $1 and role = $2";

export const assignRole = command({
  id: "major_incidents.assign_role",
  effect: "ordinary",
  route: `PUT ${incidentKind.path}/{id}/roles/{role}`,
  summary: "Assign a role in a major incident",
  description: "`userId: null` removes the role. If nothing changes, no event is appended.",
  permission: incidentKind.write,
  params: object({ id: ticketParams(incidentKind).properties.id, role: RoleName }),
  body: object({ userId: nullable(id("usr")) }),
  response: item(Type.Object({ roles: Type.Array(IncidentRole) }, { title: "IncidentRoles" })),
  emits: [RoleAssigned],
  allowNoop: true,
  fails: [NotMajor],
  example: {
    params: { id: "INC0000001", role: "commander" },
    body: { userId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" },
  },
  async run(ctx, { params, body: { userId } }) {
    const { tx, now } = ctx;
    const incident = await incidentStore.lock(tx, params.id);
    ctx.expectRevision(incident.revision);
    if (!incident.isMajor) throw new Failure(NotMajor);
    await assertReferencesExist(ctx, { users: { "/userId": userId } });
    const before = await readRoles(tx, incident.id);
    const fromUserId = before.find(({ role }) => role === params.role)?.userId ?? null;
    if (fromUserId === userId) return { roles: before };
    await (userId === null
      ? ctx.send(REMOVE, [incident.id, params.role])
      : ctx.send(SAVE, [incident.id, params.role, userId, now]));
    ctx.emit(RoleAssigned, ticketRefOf(incident), {
      ...incidentEventData(incident),
      role: params.role,
      userId,
      fromUserId,
    });
    return { roles: await readRoles(tx, incident.id) };
  },
});
