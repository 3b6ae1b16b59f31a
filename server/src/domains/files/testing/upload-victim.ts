/**
 * A process that is killed while it stores a file: it opens the product on a test's database and never finishes the
 * upload.
 */
import { pino } from "pino";
import { MasterKey } from "#kernel/access/crypto.ts";
import { Kernel } from "#kernel/kernel.ts";
import { readSettings } from "#kernel/settings.ts";
import { storeFile } from "../store-file.ts";

const { database, dataDir, workspace, key } = JSON.parse(process.argv[2] ?? "{}");
const kernel = await Kernel.open({
  database,
  settings: readSettings({ MILLRACE_DATABASE_POOL: "2", MILLRACE_DATA_DIR: dataDir }),
  masterKey: new MasterKey(Buffer.from(key, "base64")),
  // Loading all domains would take most of its time.
  domains: [],
  log: pino({ level: "silent" }),
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.alloc(65_536, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await storeFile(kernel, { workspace, environment: "production" }, endless(), { name: "endless" });
