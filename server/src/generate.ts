import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MasterKey, newDataKey } from "#kernel/access/crypto.ts";
import { generateTableTypes } from "#kernel/db/setup/generate-tables.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { startEmbedded } from "#kernel/embedded/embedded-database.ts";
import { domains } from "./app.ts";
import { renderGeneratedFiles, TABLE_TYPES } from "./contract/generated-files.ts";

/** Writes the committed generated files: the types of the tables, and the declarations of the domains. */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "millrace-generate-"));
// The account that runs PostgreSQL for root must be able to enter it.
chmodSync(folder, 0o755);
const database = await startEmbedded({ folder, log: () => undefined, settings: { fsync: "off" } });
try {
  await prepareDatabase(database.connection, new MasterKey(newDataKey()));
  writeFileSync(join(root, TABLE_TYPES), await generateTableTypes(database.connection));
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const [path, text] of renderGeneratedFiles(domains)) writeFileSync(join(root, path), text);
