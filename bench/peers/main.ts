import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Ending, explain, misused, within } from "../src/command.ts";
import { bare } from "./bare.ts";
import { contest } from "./contest.ts";
import { directus } from "./directus.ts";
import { install } from "./install.ts";
import { n8n } from "./n8n.ts";
import { nodeRed } from "./node-red.ts";
import { setUpOurs } from "./ours.ts";
import type { Peer } from "./peer.ts";
import { residentMbOf } from "./process-tree.ts";
import { draw, type Section } from "./report.ts";
import { Stage } from "./stage.ts";

const PEERS: readonly Peer[] = [n8n, directus, nodeRed, bare];
const USAGE = `npm run peers -- [--rounds 3] [--seconds 10] [--warm-up 5] [--database URL] [--work part of its name]
                 [--profile folder] [--json file] <name … | all>
Names: ${PEERS.map(({ name }) => name).join(", ")}. The server of --database must be PostgreSQL 15 or newer.
`;
const IDLE_MS = 5_000;

const wanted = readArguments();
const sections: Section[] = [];
let postgresVersion = "";
let failed = false;
const ending = new Ending();
for (const peer of wanted.peers) {
  if (ending.isCome) break;
  process.stderr.write(`${peer.title} …\n`);
  try {
    await using stage = await Stage.open(wanted.database);
    postgresVersion = stage.postgres.version;
    // Filled during the run, so that results before an interruption or a failure are reported too.
    const section: Section = { title: peer.title, rows: [], idle: [], notes: peer.notes };
    sections.push(section);
    await ending.orElse(measure(peer, stage, section));
  } catch (error) {
    failed = true;
    process.stderr.write(`${peer.name} failed.\n${explain(error)}\n`);
  }
}
if (sections.some(({ rows }) => rows.length > 0))
  process.stdout.write(draw(sections, postgresVersion));
if (wanted.json !== undefined) writeFileSync(wanted.json, `${JSON.stringify(sections, null, 2)}\n`);
process.exit(failed ? 1 : 0);

async function measure(peer: Peer, stage: Stage, { rows, idle }: Section): Promise<void> {
  const folder = peer.pin === undefined ? "" : await install(stage, peer.pin);
  const [startOurs, variantsOf] = await Promise.all([setUpOurs(stage), peer.setUp(stage, folder)]);
  const ours = await startOurs(wanted.profile);
  await pause(IDLE_MS);
  const oursIdle = { megabytes: residentMbOf(ours.product.pid), readyMs: ours.product.readyMs };
  for (const { name, start } of await variantsOf(ours)) {
    const variant = name === "" ? "" : `, ${name}`;
    const running = await start();
    await pause(IDLE_MS);
    const { pid, readyMs } = running;
    idle.push({ variant, peer: { megabytes: residentMbOf(pid), readyMs }, ours: oursIdle });
    for (const work of running.work.filter((one) => one.name.includes(wanted.work))) {
      process.stderr.write(`  ${work.name}${variant} …\n`);
      const row = await contest(work, wanted.effort);
      rows.push({ ...row, work: `${row.work}${variant}` });
    }
    await running.stop();
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "3" },
        seconds: { type: "string", default: "10" },
        "warm-up": { type: "string", default: "5" },
        database: { type: "string" },
        work: { type: "string", default: "" },
        profile: { type: "string" },
        json: { type: "string" },
      },
    });
    const unknown = positionals.find(
      (given) => given !== "all" && !PEERS.some(({ name }) => name === given),
    );
    if (unknown !== undefined) throw new Error(`There is no peer ${unknown}.`);
    if (positionals.length === 0) throw new Error("Name a peer, or all.");
    const all = positionals.includes("all");
    return {
      peers: PEERS.filter(({ name }) => all || positionals.includes(name)),
      database: values.database,
      work: values.work,
      profile: values.profile,
      json: values.json,
      effort: {
        rounds: within(values.rounds, 100),
        roundMs: within(values.seconds, 60) * 1000,
        warmUpMs: within(values["warm-up"], 60) * 1000,
      },
    };
  } catch (error) {
    return misused(error, USAGE);
  }
}
