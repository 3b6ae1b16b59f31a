import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { components, type StatusComponent } from "./component.ts";
import { type PageSettings, readPageSettings } from "./page-settings.ts";
import { DAYS_SHOWN, type Notice } from "./component-status.ts";

const COMPONENTS_MAX = 200;
const NOTICES_MAX = 200;

/** The content of the public page. Includes only texts of an incident that were written for it. */
export interface PublicPage {
  readonly settings: PageSettings;
  readonly components: readonly Pick<StatusComponent, "id" | "name" | "about">[];
  readonly notices: readonly Notice[];
}

const NOTICES = `
  select n.public_id as "publicId", n.title, n.status, n.effect, n.component_ids as "componentIds",
         n.started_at as "startedAt", n.resolved_at as "resolvedAt", u.updates
    from status_notices n cross join lateral (
      select coalesce(json_agg(json_build_object('status', status, 'message', message,
               'at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
               order by created_at desc, id desc), '[]') as updates
        from status_updates where incident_id = n.incident_id) u
   where n.resolved_at is null or n.resolved_at > $1
   order by n.started_at desc limit ${NOTICES_MAX}`;

/** Reads the page; undefined if it is inactive. */
export async function readPublicPage(tx: Tx, now: Date): Promise<PublicPage | undefined> {
  const settings = await readPageSettings(tx);
  if (!settings.isOn) return undefined;
  const since = new Date(now.getTime() - DAYS_SHOWN * 86_400_000);
  const [parts, rows] = await Promise.all([
    components.store.select(tx, `true order by position, no limit ${COMPONENTS_MAX}`, []),
    queryRows(tx, NOTICES, [since]),
  ]);
  return {
    settings,
    components: parts.map(({ id, name, about }) => ({ id, name, about })),
    // Columns and fields have the same names.
    notices: rows as unknown as Notice[],
  };
}
