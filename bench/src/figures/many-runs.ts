import { newId } from "../../../server/src/kernel/schema/id.ts";
import { compare, together } from "../compare.ts";
import type { Product } from "../endpoint.ts";
import type { Effort, Figure } from "../figure.ts";
import { load, type Target } from "../load.ts";
import { asMember, newOrders, readsOf } from "../request.ts";
import { Rig } from "../rig.ts";
import { deploy, ORDERS } from "../workflow.ts";

const MANY = 100_000;
const FEW = 100;
const RATIO = 0.8;
/** The number of runs that are read individually, spread over the whole time. */
const READ_MAX = 1_000;
/** The time between two runs. */
const STEP_MS = 500;
const CHUNK = 10_000;

/** Lists of runs and single runs with many runs, against the same with few. */
export const manyRuns: Figure = {
  name: "many-runs",
  async measure(rig, effort) {
    await using small = await Rig.open();
    const many = await furnished(rig, MANY, effort);
    const few = await furnished(small, FEW);
    const contests = {
      list: { ours: many.list, reference: few.list, ratioAtLeast: RATIO },
      detail: { ours: many.detail, reference: few.detail, ratioAtLeast: RATIO },
    };
    const list = await compare(contests.list, effort);
    const detail = await compare(contests.detail, effort);
    const { notes, ...both } = together({ list, detail });
    return { ...both, notes: [`ours: ${MANY} runs; reference: ${FEW}`, ...notes] };
  },
};

/** A product with this number of finished runs, and the measured requests. */
async function furnished(rig: Rig, count: number, effort?: Effort) {
  const product = await rig.startProduct(effort);
  const { id, hookPath } = await deploy(product, ORDERS);
  // One real run is the template for all.
  await load(
    { port: product.port, status: 200, next: newOrders(hookPath), connections: 1 },
    { count: 1 },
  );
  const ids = await multiply(rig, count);
  const every = Math.max(1, Math.floor(count / READ_MAX));
  const read = ids.filter((_, at) => at % every === 0);
  return {
    list: reads(product, [`/api/v1/workflows/${id}/runs`]),
    detail: reads(
      product,
      read.map((one) => `/api/v1/runs/${one}`),
    ),
  };
}

function reads({ port, token }: Product, paths: readonly string[]): Target {
  return { port, status: 200, next: readsOf(paths, asMember(token)) };
}

const COPY_RUNS = `
  insert into runs
  select copy.* from runs r
   cross join unnest($1::text[], $2::timestamptz[]) as new (id, at)
   cross join lateral jsonb_populate_record(r, jsonb_build_object('id', new.id,
     'created_at', new.at, 'started_at', new.at, 'finished_at', new.at,
     'correlation_id', 'req_' || right(new.id, 26))) as copy
   where r.id = (select max(id) from runs)`;
const COPY_JOURNALS = `
  insert into run_journal (workspace_id, environment, run_id, entry, records, written_at)
  select j.workspace_id, j.environment, new.id, j.entry, j.records, new.at
    from run_journal j cross join unnest($1::text[], $2::timestamptz[]) as new (id, at)
   where j.run_id = (select max(id) from runs)`;

/** Copies the latest run with its journal at increasing times up to now. Returns the ids. */
async function multiply(rig: Rig, count: number): Promise<string[]> {
  const endMs = Date.now() - STEP_MS;
  const ids: string[] = [];
  for (let from = 0; from < count; from += CHUNK) {
    const times = Array.from(
      { length: Math.min(CHUNK, count - from) },
      (_, at) => new Date(endMs - (count - from - at) * STEP_MS),
    );
    const some = times.map((time) => newId("run", time.getTime()));
    await rig.query(COPY_RUNS, [some, times]);
    await rig.query(COPY_JOURNALS, [some, times]);
    ids.push(...some);
  }
  // Simulates a database in long-term operation.
  await rig.query("vacuum analyze runs");
  await rig.query("vacuum analyze run_journal");
  return ids;
}
