/**
 * The product with one more domain, whose reader and job leave a mark for every event of a workspace, so that a test can
 * count effects. `node probe.ts <node>` starts it, and the marks bear the name of the node.
 */
import { sql } from "kysely";
import { pino } from "pino";
import Type from "typebox";
import { domain } from "#kernel/domain.ts";
import { job } from "#kernel/job.ts";
import { reader } from "#kernel/reader.ts";
import { readSettings } from "#kernel/settings.ts";
import { domains } from "../app.ts";
import { start } from "../start.ts";

const node = process.argv[2] ?? "";
const HANDS = 2;

const mark = job({
  kind: "probe.mark",
  payload: Type.Object({ eventId: Type.String() }),
  // Short, because so long does the work of a killed node wait.
  timeoutMs: 3_000,
  concurrency: HANDS,
  // Lets a test stop the work half way.
  async effect({ db }) {
    await db.system("select probe_gate()");
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
const running = await start(settings, log, [...domains, probe]);
process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
process.stdout.write(`Millrace is ready at ${running.address}\n`);
