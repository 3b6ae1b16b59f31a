/** The unchanged product with the kernel's smallest domain, which has resources to read and create. */
import { domains } from "../../server/src/app.ts";
import { notes } from "../../server/src/kernel/testing/notes.ts";
import { readSettings } from "../../server/src/kernel/settings.ts";
import { openLog } from "../../server/src/open-logger.ts";
import { start } from "../../server/src/start.ts";
import { acceptCheapToken } from "./product-token.ts";
import { tally } from "./tally.ts";

acceptCheapToken();
const settings = readSettings(process.env);
const log = openLog(settings.logLevel);
const counted = process.env["BENCH_READERS"] === "on";
const running = await start(settings, log, {
  domains: [...domains, notes, ...(counted ? [tally] : [])],
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void running.stop().then(() => process.exit(0));
  });
}
void running.died.then((reason) => {
  log.fatal(reason);
  process.exit(1);
});
