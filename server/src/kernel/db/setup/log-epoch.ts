import type pg from "pg";
import { roleNames } from "./roles.ts";

/**
 * Transaction ids mean something within one history of one cluster. When a dump is restored into another cluster they
 * begin anew; when a cluster is restored to an earlier moment, ids that clients have already seen are used a second
 * time, and PostgreSQL marks that by a new timeline. In both cases new events must come after all earlier ones, under
 * ids that were never used: a new epoch.
 */
export async function ensureEpoch(client: pg.Client): Promise<void> {
  const state = await readClusterState(client);
  if (state.known === state.present) return;
  await client.query("begin");
  try {
    // Nobody reads the epoch while it changes; and another start may have been quicker.
    await client.query("lock table installation in access exclusive mode");
    const { known, present, database, epoch } = await readClusterState(client);
    const change = compareClusters(known, present);
    if (change === "none" || (change === "timeline" && (await isServed(client, database)))) {
      if (change === "none") await client.query(SAVE_CLUSTER, [present]);
      await client.query("commit");
      return;
    }
    await client.query(`${SAVE_CLUSTER}, epoch = epoch + 1`, [present]);
    // No reader would find the events of a process that still has the old epoch. So it can't write.
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
const READ_STATE = `
  select cluster as known, ${PRESENT_CLUSTER} as present, current_database() as database, epoch
    from installation`;
const SAVE_CLUSTER = "update installation set cluster = $1";

interface ClusterState {
  readonly known: string;
  readonly present: string;
  readonly database: string;
  readonly epoch: number;
}

async function readClusterState(client: pg.Client): Promise<ClusterState> {
  const { rows } = await client.query<ClusterState>(READ_STATE);
  const [state] = rows;
  if (!state) throw new Error("The database has no installation.");
  return state;
}

/** The first releases stored no timeline. */
function compareClusters(known: string, present: string): "cluster" | "timeline" | "none" {
  const [[cluster, timeline], [cluster2, timeline2]] = [known.split("/"), present.split("/")];
  if (cluster !== cluster2) return "cluster";
  return timeline === undefined || timeline === timeline2 ? "none" : "timeline";
}

/**
 * True when other processes work on this database already. Then the timeline is that of a standby which took over
 * from the primary while they ran; they go on in the old epoch, and so do we, until a start that is alone.
 */
async function isServed(client: pg.Client, database: string): Promise<boolean> {
  const { app, system, sql } = roleNames(database);
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and usename = any($1) limit 1",
    [[app, system, sql]],
  );
  return rowCount !== 0;
}
