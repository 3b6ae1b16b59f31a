import type { Effort, Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import type { Rig } from "../rig.ts";
import { nowMs, percentile } from "../statistics.ts";

const ITEMS = 50_000;
const RELATIONSHIPS_EACH = 4;
/** Items with many dependents, such as a switch or a shared database: a hundred each. */
const HUBS = 500;
const TARGET_MS = 150;
const WARM_UP = 20;

const SEED_ITEMS = `
  insert into cmdb_items (id, workspace_id, environment, class, key, name, status, description,
    attributes, created_by, created_at, updated_at)
  select 'ci_' || lpad(n::text, 26, '0'), home_workspace_id, 'production',
         (array['server', 'application', 'database', 'service', 'network'])[1 + n % 5],
         'key-' || n, 'item-' || n, 'active', '', jsonb_build_object('cpus', n % 64, 'os', 'linux'),
         'system', at, at
    from generate_series(1, $1::int) as n, installation,
         lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as time`;

/** Three of the four dependencies of each item are random, the last is a hub. */
const SEED_RELATIONSHIPS = `
  insert into cmdb_relationships
    (id, workspace_id, environment, from_id, to_id, type, created_by, created_at)
  select 'cir_' || lpad((n * 10 + k)::text, 26, '0'), home_workspace_id, 'production',
         'ci_' || lpad(n::text, 26, '0'), 'ci_' || lpad(m::text, 26, '0'),
         (array['depends_on', 'hosted_on', 'connects_to', 'uses'])[k], 'system', now()
    from generate_series(1, $1::int) as n cross join generate_series(1, $2::int) as k, installation,
         lateral (select 1 + abs(hashint8(n::bigint * 31 + k)::bigint)
                           % case when k = $2::int then $3::int else $1::int end as m) as other
   where m <> n`;

/** Neighbours and impact of an item, among 50,000 items with 200,000 relationships. */
export const cmdb: Figure = {
  name: "cmdb",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    await furnish(rig);
    const at = `http://127.0.0.1:${product.port}/api/v1/cmdb`;
    const headers = asMember(product.token);
    const questions = {
      "topology of depth 3": (id: string) => `${at}/topology?root=${id}&depth=3`,
      "in both directions": (id: string) => `${at}/topology?root=${id}&depth=3&direction=both`,
      impact: (id: string) => `${at}/items/${id}/impact`,
    };
    const measured = [];
    for (const [name, urlOf] of Object.entries(questions)) {
      measured.push({ name, ...(await timesOf(urlOf, headers, effort)) });
    }
    const worst = Math.max(...measured.map(({ p95 }) => p95));
    return {
      ours: `p95 ${worst.toFixed(0)} ms`,
      target: `p95 ≤ ${TARGET_MS} ms`,
      reached: worst <= TARGET_MS,
      notes: measured.map(
        ({ name, p50, p95, count, bytes }) =>
          `${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${count}, ` +
          `${Math.round(bytes / 1024)} KiB each`,
      ),
      values: { measured },
    };
  },
};

async function furnish(rig: Rig): Promise<void> {
  await rig.query(SEED_ITEMS, [ITEMS]);
  await rig.query(SEED_RELATIONSHIPS, [ITEMS, RELATIONSHIPS_EACH, HUBS]);
  // Simulates a database in long-term operation.
  await rig.query("vacuum analyze cmdb_items");
  await rig.query("vacuum analyze cmdb_relationships");
}

/** One request at a time, each about a different item, including hubs. */
async function timesOf(
  urlOf: (id: string) => string,
  headers: Readonly<Record<string, string>>,
  { rounds, roundMs }: Effort,
) {
  const times: number[] = [];
  let bytes = 0;
  let endsAt = Infinity;
  for (let n = 1; nowMs() < endsAt; n += 1) {
    if (n === WARM_UP + 1) endsAt = nowMs() + rounds * roundMs;
    const item = n % 10 === 0 ? 1 + ((n * 7) % HUBS) : 1 + ((n * 7_919) % ITEMS);
    const sentAtMs = nowMs();
    const reply = await fetch(urlOf(`ci_${String(item).padStart(26, "0")}`), { headers });
    const text = await reply.text();
    if (n > WARM_UP) times.push(nowMs() - sentAtMs);
    if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${text}`);
    bytes += text.length;
  }
  times.sort((a, b) => a - b);
  const count = times.length;
  const p50 = percentile(times, 0.5);
  return { p50, p95: percentile(times, 0.95), count, bytes: bytes / (count + WARM_UP) };
}
