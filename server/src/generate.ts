import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MasterKey, newDataKey } from "#kernel/access/crypto.ts";
import { generateTableTypes } from "#kernel/db/setup/generate-tables.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { startEmbedded } from "#kernel/embedded/embedded-database.ts";
import { describeApi, describeEvents } from "#kernel/operation/openapi.ts";
import { describeClient } from "../../client/src/describe.ts";
import { domains } from "./app.ts";
import { renderOperationList } from "./operation-list.ts";

/**
 * Writes the generated files that are committed: the tables' types, the API and a list of it, its client's types, and
 * the events.
 */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "millrace-generate-"));
// The account that runs PostgreSQL for root must be able to enter it.
chmodSync(folder, 0o755);
const database = await startEmbedded({ folder, log: () => undefined, settings: { fsync: "off" } });
try {
  await prepareDatabase(database.connection, new MasterKey(newDataKey()));
  writeFileSync(join(root, "server/src/tables.ts"), await generateTableTypes(database.connection));
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
const api = describeApi(domains);
writeFileSync(join(root, "contract/openapi.json"), `${JSON.stringify(api, null, 2)}\n`);
writeFileSync(join(root, "client/src/operations.ts"), describeClient(api));
writeFileSync(join(root, "contract/events.json"), `${JSON.stringify(describeEvents(domains), null, 2)}\n`);
writeFileSync(join(root, "contract/operations.txt"), renderOperationList(domains));
