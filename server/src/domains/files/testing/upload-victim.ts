/** A process that is killed while it stores a file: it opens the product on a test's database, and never comes to the end. */
import { pino } from "pino";
import { domains } from "../../../app.ts";
import { Kernel } from "#kernel/kernel.ts";
import { readSettings } from "#kernel/settings.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { storeFile } from "../store-file.ts";

const { database, dataDir, workspace } = JSON.parse(process.argv[2] ?? "{}");
const kernel = await Kernel.open({
  database,
  settings: readSettings({ MILLRACE_DATABASE_POOL: "2", MILLRACE_DATA_DIR: dataDir }),
  masterKey: TEST_KEY,
  domains,
  log: pino({ level: "silent" }),
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.alloc(65_536, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await storeFile(kernel, { workspace, environment: "production" }, endless(), { name: "endless" });
