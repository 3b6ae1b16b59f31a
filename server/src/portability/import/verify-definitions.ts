import type pg from "pg";
import {
  type StoredDefinition,
  StoredDefinitionPoint,
} from "#kernel/resource/stored-definition.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { archiveError } from "../archive/reader.ts";
import { quote } from "../catalogue.ts";

const ROWS_AT_ONCE = 200;

/** Rejects definitions that the API would not have saved, because the code that uses them relies on their format. */
export async function verifyDefinitions(
  client: pg.Client,
  services: Pick<PlatformServices, "contributions">,
  {
    workspace,
    tables,
  }: { readonly workspace: string; readonly tables?: ReadonlySet<string> | undefined },
): Promise<void> {
  for (const definition of contributionsTo(StoredDefinitionPoint, services.contributions))
    if (!tables || tables.has(definition.table))
      await verifyTable(client, services, { workspace, definition });
}

async function verifyTable(
  client: pg.Client,
  services: Pick<PlatformServices, "contributions">,
  {
    workspace,
    definition: { table, key = "id", columns, check },
  }: { readonly workspace: string; readonly definition: StoredDefinition },
): Promise<void> {
  const text = `select (${key})::text as key, ${columns} from ${quote(table)}
                 where workspace_id = $1 and (${key})::text collate "C" > $2
                 order by (${key})::text collate "C" limit ${ROWS_AT_ONCE}`;
  for (let after = ""; ;) {
    const { rows } = await client.query<SqlRow & { key: string }>(text, [workspace, after]);
    for (const row of rows) {
      const [error] = check(services, row);
      if (error)
        throw archiveError(
          `has a row of ${table}, ${row.key}, that could not be saved here: ${error.path} ${error.message}`,
        );
      after = row.key;
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}
