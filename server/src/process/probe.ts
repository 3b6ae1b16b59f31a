/**
 * The product with an additional domain, whose reader and job write a mark for every event of a workspace, so that a
 * test can count effects. Started by `node probe.ts <node> <gate>`. Marks contain the node's name. While the file
 * <gate> exists, every job pauses halfway.
 */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { pino } from "pino";
import Type from "typebox";
import { domain } from "#kernel/domain.ts";
import { job } from "#kernel/work/job.ts";
import { reader } from "#kernel/readers/reader.ts";
import { readSettings } from "#kernel/settings.ts";
import { domains } from "../app.ts";
import { start } from "../start.ts";

const [, , node = "", gate = ""] = process.argv;
const HANDS = 2;
const GATE_POLL_MS = 20;

const mark = job({
  kind: "probe.mark",
  payload: Type.Object({ eventId: Type.String() }),
  // Short, because the work of a killed node waits this long.
  timeoutMs: 3_000,
  concurrency: HANDS,
  async effect(_outside, _payload, { signal }) {
    while (existsSync(gate)) await pause(GATE_POLL_MS, undefined, { signal });
  },
  async run({ tx }, { eventId }) {
    await sql`insert into probe_jobs (event_id, node) values (${eventId}, ${node})`.execute(tx);
  },
});

const marker = reader({
  name: "probe.marker",
  on: ["workspace.*"],
  startsAt: "beginning",
  async handle(ctx, events) {
    for (const event of events) {
      await sql`insert into probe_effects (event_id, node) values (${event.id}, ${node})`.execute(
        ctx.tx,
      );
      ctx.because(event).enqueue(mark, { eventId: event.id });
    }
  },
});

const probe = domain({
  name: "probe",
  summary: "Leaves marks that a test counts.",
  permissions: [],
  events: [],
  operations: [],
  readers: [marker],
  jobs: [mark],
});

const settings = readSettings(process.env);
const log = pino({ level: settings.logLevel, base: null });
const running = await start(settings, log, { domains: [...domains, probe] });
process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
process.stdout.write(`Millrace is ready at ${running.address}\n`);
