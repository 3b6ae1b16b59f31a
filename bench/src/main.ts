import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Ending, explain, misused, within } from "./command.ts";
import type { Figure, Measured } from "./figure.ts";
import { agent } from "./figures/agent.ts";
import { auth } from "./figures/auth.ts";
import { cmdb } from "./figures/cmdb.ts";
import { consoleCanvas } from "./figures/console/canvas.ts";
import { consoleGrid } from "./figures/console/grid.ts";
import { consoleKeys } from "./figures/console/keys.ts";
import { consoleOpen } from "./figures/console/open.ts";
import { consoleRoutes } from "./figures/console/routes.ts";
import { consoleSize } from "./figures/console/size.ts";
import { imports } from "./figures/data/imports.ts";
import { tables } from "./figures/data/tables.ts";
import { vectors } from "./figures/data/vectors.ts";
import { create } from "./figures/create.ts";
import { deliveries } from "./figures/deliveries.ts";
import { deliveryLag } from "./figures/delivery-lag.ts";
import { dryRun } from "./figures/dry-run.ts";
import { events } from "./figures/events.ts";
import { eventRuns } from "./figures/event-runs.ts";
import { formPage } from "./figures/form-page.ts";
import { hanging } from "./figures/hanging.ts";
import { logins } from "./figures/logins.ts";
import { manyRuns } from "./figures/many-runs.ts";
import { memory } from "./figures/memory.ts";
import { polledItems } from "./figures/polled-items.ts";
import { queue } from "./figures/queue.ts";
import { read } from "./figures/read.ts";
import { readers } from "./figures/readers.ts";
import { files } from "./figures/files.ts";
import { stepFiles } from "./figures/step-files.ts";
import { mail } from "./figures/mail.ts";
import { pages } from "./figures/pages.ts";
import { records } from "./figures/records.ts";
import { plan } from "./figures/plan.ts";
import { portable } from "./figures/portable.ts";
import { rehearsal } from "./figures/rehearsal.ts";
import { undo } from "./figures/undo.ts";
import { reports } from "./figures/reports.ts";
import { runLag } from "./figures/run-lag.ts";
import { runs } from "./figures/runs.ts";
import { search } from "./figures/search.ts";
import { scripts } from "./figures/scripts.ts";
import { start } from "./figures/start.ts";
import { tickets } from "./figures/tickets.ts";
import { runCompare } from "./revisions/command.ts";
import { Rig } from "./rig.ts";
import { drawTable } from "./table.ts";

const FIGURES: readonly Figure[] = [
  read,
  create,
  dryRun,
  auth,
  logins,
  start,
  memory,
  readers,
  deliveries,
  deliveryLag,
  hanging,
  runs,
  eventRuns,
  runLag,
  manyRuns,
  records,
  pages,
  tables,
  vectors,
  imports,
  scripts,
  files,
  stepFiles,
  agent,
  polledItems,
  formPage,
  mail,
  tickets,
  queue,
  search,
  events,
  cmdb,
  reports,
  plan,
  portable,
  rehearsal,
  undo,
  consoleSize,
  consoleOpen,
  consoleRoutes,
  consoleKeys,
  consoleCanvas,
  consoleGrid,
];
/** The maximum number of events for `--size`. */
const SIZE_MAX = 100_000_000;
const USAGE = `npm run bench [-- [--rounds 5] [--seconds 4] [--size 1000000] [--json file] [--profile folder] [name …]]
npm run bench -- compare REV[..REV] [--seconds 60] [--json file] [work …]
Names: ${FIGURES.map(({ name }) => name).join(", ")}; all of them when none is given.
`;

if (process.argv[2] === "compare") process.exit(await runCompare(process.argv.slice(3)));
const wanted = readArguments();
const results: (Measured & { readonly name: string })[] = [];
let failed = false;
const ending = new Ending();
for (const { name, measure } of wanted.figures) {
  if (ending.isCome) break;
  process.stderr.write(`${name} …\n`);
  try {
    await using rig = await Rig.open();
    results.push({ name, ...(await ending.orElse(measure(rig, wanted.effort))) });
  } catch (error) {
    failed = true;
    process.stderr.write(`${name} failed.\n${explain(error)}\n`);
  }
}
process.stdout.write(drawTable(results));
if (wanted.json !== undefined) writeFileSync(wanted.json, `${JSON.stringify(results, null, 2)}\n`);
process.exit(failed ? 1 : 0);

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "5" },
        seconds: { type: "string", default: "4" },
        size: { type: "string" },
        json: { type: "string" },
        profile: { type: "string" },
      },
    });
    const unknown = positionals.find((given) => !FIGURES.some(({ name }) => name === given));
    if (unknown !== undefined) throw new Error(`There is no benchmark ${unknown}.`);
    return {
      figures: FIGURES.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
      json: values.json,
      effort: {
        rounds: within(values.rounds, 100),
        roundMs: within(values.seconds, 60) * 1000,
        profileFolder: values.profile,
        ...(values.size !== undefined && { size: within(values.size, SIZE_MAX) }),
      },
    };
  } catch (error) {
    return misused(error, USAGE);
  }
}
