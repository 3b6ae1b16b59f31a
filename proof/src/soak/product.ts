/**
 * The product with retention times of minutes instead of days and more frequent pruning, so that pruning is part of
 * the proof. It records its memory use.
 */
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { domains } from "../../../server/src/app.ts";
import { readSettings } from "../../../server/src/kernel/settings.ts";
import { openLog } from "../../../server/src/open-logger.ts";
import { start } from "../../../server/src/start.ts";
import type { Memory } from "./memory.ts";

const PRUNE_EVERY_MAX_MS = 20_000;
const NOTE_EVERY_MS = 10_000;
/** A collection pauses the process, so it does not happen each time. */
const NOTES_FOR_COLLECTION = 6;
const MIB = 1024 * 1024;

const days = Number(process.env["SOAK_KEPT_MINUTES"]) / (24 * 60);
const settings = {
  ...readSettings(process.env),
  eventRetentionDays: days,
  deliveryRetentionDays: days,
  runRetentionDays: days,
};
const log = openLog(settings.logLevel);
const hurried = domains.map((domain) => ({
  ...domain,
  jobs: (domain.jobs ?? []).map((type) =>
    type.everyMs === undefined
      ? type
      : { ...type, everyMs: Math.min(type.everyMs, PRUNE_EVERY_MAX_MS) },
  ),
}));
const running = await start(settings, log, { domains: hurried });

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let notes = 0;
const noting = setInterval(note, NOTE_EVERY_MS);

function note(): void {
  const lagMaxMs = delay.max / 1e6;
  const lagP99Ms = delay.percentile(99) / 1e6;
  const rssMiB = process.memoryUsage.rss() / MIB;
  const collected = notes % NOTES_FOR_COLLECTION === 0;
  notes += 1;
  if (collected) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const memory: Memory = {
    atMs: Date.now(),
    rssMiB,
    ...(collected && { heapMiB: heapUsed / MIB, externalMiB: external / MIB }),
    handles: process.getActiveResourcesInfo().length,
    lagMaxMs,
    lagP99Ms,
  };
  appendFileSync(process.env["SOAK_MEMORY_FILE"] ?? "/dev/null", `${JSON.stringify(memory)}\n`);
  delay.reset();
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    clearInterval(noting);
    void running.stop().then(() => process.exit(0));
  });
}
void running.died.then((reason) => {
  log.fatal(reason);
  process.exit(1);
});
