import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MasterKey, newDataKey } from "#kernel/access/crypto.ts";
import { generateTableTypes } from "#kernel/db/setup/generate-tables.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { startEmbedded } from "#kernel/embedded/embedded-database.ts";
import { describeApi } from "#kernel/operation/description/describe-api.ts";
import { describeEventContract } from "#kernel/operation/description/describe-events.ts";
import { describeFields, describeMachines } from "../../client/src/describe-fields.ts";
import { describeClient } from "../../client/src/describe.ts";
import { domains } from "./app.ts";
import { renderJson } from "./contract/json-text.ts";
import { renderOperationList } from "./contract/operation-list.ts";
import { listMachines } from "./state-machines.ts";

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
writeFileSync(join(root, "contract/openapi.json"), renderJson(api));
writeFileSync(join(root, "client/src/operations.ts"), describeClient(api));
writeFileSync(join(root, "client/src/fields.ts"), describeFields(api));
writeFileSync(join(root, "client/src/machines.ts"), describeMachines(api, listMachines(domains)));
writeFileSync(join(root, "contract/events.json"), renderJson(describeEventContract(domains)));
writeFileSync(join(root, "contract/operations.txt"), renderOperationList(domains));
