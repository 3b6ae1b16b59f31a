/** Resources by their names, as the log has them: also those that were deleted or renamed. */
import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { topicOf } from "./event.ts";

const EVENTS_SEARCHED_MAX = 50_000;
const FOUND_MAX = 100;

/** The ids of resources whose name contains a text, among the newest events of this partition. */
export async function findResourceIdsByName(tx: Tx, text: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct e.resource_id as id
      from (select resource_id, resource_name, resource_number from events
             order by epoch desc, xid desc, seq desc limit ${EVENTS_SEARCHED_MAX}) e
     where position(lower(${text}) in lower(e.resource_name)) > 0
        or upper(${text}) = e.resource_number
     limit ${FOUND_MAX}`.execute(tx);
  return rows.map(({ id }) => id);
}

interface NamedResource {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** The resources of the events of a type, each with the data of its newest one. */
export async function listResourcesOf(tx: Tx, type: string): Promise<readonly NamedResource[]> {
  const { rows } = await sql<NamedResource>`
    select distinct on (e.id) e.id, e.data, e.at
      from (select resource_id as id, data, created_at as at from events
             where topic = ${topicOf(type)} and type = ${type}
             order by epoch desc, xid desc, seq desc limit ${EVENTS_SEARCHED_MAX}) e
     order by e.id, e.at desc`.execute(tx);
  return rows;
}
