/** The last public comment on a ticket, and the next reply deadline, for lists. */
import Type from "typebox";
import { nullable, Time } from "#kernel/schema/schema.ts";

const LastPublicComment = Type.Object(
  {
    by: Type.String(),
    at: Time,
    isCaller: Type.Boolean({ description: "Whether the requester or caller wrote it" }),
  },
  { title: "LastPublicComment" },
);

/** The additional fields of a ticket in lists. */
export const talkFields = {
  lastPublicComment: nullable(LastPublicComment),
  promisedAt: nullable(
    Type.String({ ...Time, description: "Earliest due time of its running SLA clocks" }),
  ),
};

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** The select list of these fields, given the table and SQL for the id of the requester. */
export function talkSql(table: string, asker: string): string {
  return `
    (select jsonb_build_object('by', c.created_by,
              'at', to_char(c.created_at at time zone 'utc', ${ISO}),
              'isCaller', c.created_by is not distinct from ${asker})
       from ticket_comments c where c.ticket_id = ${table}.id and not c.internal
      order by c.id desc limit 1) as "lastPublicComment",
    (select min(k.due_at) from sla_clocks k
      where k.ticket_id = ${table}.id and k.state = 'running') as "promisedAt"`;
}
