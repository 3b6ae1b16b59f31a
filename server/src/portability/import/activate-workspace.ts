import type pg from "pg";
import type { PlatformServices } from "#kernel/contract.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { setPartitionSql } from "#kernel/db/partition.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { quote, readCatalogue } from "../catalogue.ts";
import { copyIn } from "../copy.ts";
import { verifyDefinitions } from "./verify-definitions.ts";
import { verifyJobs, verifyReferences } from "./verify-rows.ts";

/**
 * Inserts the held rows into their tables, after which jobs, runs, SLA clocks and deliveries continue. Returns false
 * if they already exist; the activation event may then be missing.
 */
export async function releaseHeldRows(
  owner: pg.ClientConfig,
  services: Pick<PlatformServices, "contributions">,
  workspace: string,
): Promise<boolean> {
  return withOwnerClient(owner, async (client) => {
    await client.query("set statement_timeout = 0");
    const { tables, foreignKeys } = await readCatalogue(client);
    const known = new Set(tables.map(({ name }) => name));
    await client.query("begin");
    await client.query(setPartitionSql({ workspace, environment: "production" }, "local"));
    const { rows } = await client.query<{ state: string; people: string[] }>(
      "select state, coalesce(people, '[]') as people from workspace_imports where workspace_id = $1 for update",
      [workspace],
    );
    const state = rows[0]?.state;
    if (state === "activating") return false;
    if (state !== "imported")
      throw new StartupError("The workspace is not waiting for activation.");
    const frames = await client.query<{ frame: number }>(
      "select frame from held_rows where workspace_id = $1 order by frame",
      [workspace],
    );
    for (const { frame } of frames.rows) {
      const held = await client.query<{ table_name: string; columns: string[]; lines: Buffer }>(
        "delete from held_rows where workspace_id = $1 and frame = $2 returning table_name, columns, lines",
        [workspace, frame],
      );
      const [row] = held.rows;
      if (!row || !known.has(row.table_name)) throw new Error("A held row is of no table.");
      const columns = row.columns.map(quote).join(", ");
      await copyIn(client, `public.${quote(row.table_name)} (${columns})`, row.lines);
    }
    await verifyJobs(client, workspace);
    // The others were verified during the import.
    const released = new Set(
      tables.filter(({ open }) => open !== undefined).map(({ name }) => name),
    );
    await verifyDefinitions(client, services, { workspace, tables: released });
    await verifyReferences(client, foreignKeys, {
      workspace,
      people: rows[0]?.people ?? [],
      children: released,
      tables: known,
    });
    await client.query("update workspaces set paused_at = null where key = $1", [workspace]);
    await client.query(
      "update workspace_imports set state = 'activating' where workspace_id = $1",
      [workspace],
    );
    await client.query("commit");
    return true;
  });
}
