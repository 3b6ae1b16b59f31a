import type pg from "pg";
import { roleNames } from "./roles.ts";

/**
 * Transaction ids mean something within one history of one cluster. When a dump is restored into another cluster they
 * begin anew; when a cluster is set back to an earlier moment, ids that the world outside has already seen are given out
 * a second time, and PostgreSQL marks that by a new timeline. In both cases what is logged from now on must come after
 * all that was logged before, under ids that never were: a new epoch.
 */
export async function ensureEpoch(client: pg.Client): Promise<void> {
  const seen = await look(client);
  if (seen.known === seen.present) return;
  await client.query("begin");
  try {
    // Nobody learns the epoch while it changes; and another start may have been quicker.
    await client.query("lock table installation in access exclusive mode");
    const { known, present, database, epoch } = await look(client);
    const change = changeBetween(known, present);
    if (change === "none" || (change === "timeline" && (await isServed(client, database)))) {
      if (change === "none") await client.query(REMEMBER, [present]);
      await client.query("commit");
      return;
    }
    await client.query(`${REMEMBER}, epoch = epoch + 1`, [present]);
    // Whatever a process that still has the old epoch wrote, no reader would find any more. So it can't write.
    await client.query(`
      alter table events drop constraint if exists events_epoch,
        add constraint events_epoch check (epoch >= ${epoch + 1}) not valid`);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** The cluster and its timeline, as they are kept in `installation.cluster`. */
export const PRESENT_CLUSTER = `
  (select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system())`;
const LOOK = `
  select cluster as known, ${PRESENT_CLUSTER} as present, current_database() as database, epoch
    from installation`;
const REMEMBER = "update installation set cluster = $1";

interface Seen {
  readonly known: string;
  readonly present: string;
  readonly database: string;
  readonly epoch: number;
}

async function look(client: pg.Client): Promise<Seen> {
  const { rows } = await client.query<Seen>(LOOK);
  const [seen] = rows;
  if (!seen) throw new Error("The database has no installation.");
  return seen;
}

/** The first releases kept no timeline. */
function changeBetween(known: string, present: string): "cluster" | "timeline" | "none" {
  const [[cluster, timeline], [cluster2, timeline2]] = [known.split("/"), present.split("/")];
  if (cluster !== cluster2) return "cluster";
  return timeline === undefined || timeline === timeline2 ? "none" : "timeline";
}

/**
 * Whether other processes work on this database already. Then the timeline is that of a standby which took over from
 * the primary before their eyes; they go on in the old epoch, and so do we, until a start that is alone.
 */
async function isServed(client: pg.Client, database: string): Promise<boolean> {
  const { app, system, sql } = roleNames(database);
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and usename = any($1) limit 1",
    [[app, system, sql]],
  );
  return rowCount !== 0;
}
