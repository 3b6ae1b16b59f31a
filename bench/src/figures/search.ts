import { compare } from "../compare.ts";
import type { Product } from "../endpoint.ts";
import type { Effort, Figure } from "../figure.ts";
import { asMember, readsOf } from "../request.ts";
import { Rig } from "../rig.ts";
import { nowMs, percentile } from "../statistics.ts";
import { deploy, ORDERS } from "../workflow.ts";

const MANY = 100_000;
const FEW = 100;
const RATIO = 0.5;
const TARGET_MS = 150;
const WARM_UP = 10;
const ASKED = 100;
const WORDS = ["order", "printer", "mail", "invoice", "router", "badge", "laptop", "backup"];

const NAME = `(array['${WORDS.join("','")}'])[1 + n % ${WORDS.length}]`;
/** 40 % are workflows, 40 % tickets and 20 % contacts. */
const SEEDS = [
  `insert into workflows
   select copy.* from workflows w cross join generate_series(1, $1::int * 4 / 10) as n
    cross join lateral jsonb_populate_record(w, jsonb_build_object(
      'id', 'wf_' || lpad(n::text, 26, '0'), 'name', ${NAME} || ' of region ' || n % 977 || ' number ' || n,
      'hook_token', md5(n::text) || md5((-n)::text))) as copy
    where w.id = (select max(id) from workflows)`,
  `insert into incidents (id, workspace_id, environment, no, number, title, description, state, impact, urgency,
     priority, severity, category, caller_id, created_by, created_at, updated_at)
   select 'inc_' || lpad(n::text, 26, '0'), home_workspace_id, 'production', n, 'INC' || lpad(n::text, 7, '0'),
          ${NAME} || ' of desk ' || n % 977 || ' number ' || n, 'It does not work.', 'in_progress', 2, 2, 3, 'medium',
          'hardware', u.id, u.id, at, at
     from generate_series(1, $1::int * 4 / 10) as n, installation, (select id from users limit 1) as u,
          lateral (select timestamptz '2026-01-01' + n * interval '20 seconds' as at) as time`,
  `insert into contacts (id, workspace_id, name, address, notes, created_by, created_at, updated_at)
   select 'con_' || lpad(n::text, 26, '0'), home_workspace_id, ${NAME} || ' keeper ' || n % 977,
          'keeper' || n || '@example.com', '', 'system', now(), now()
     from generate_series(1, $1::int * 2 / 10) as n, installation`,
];

/** Global search among 100,000 resources of several kinds, against the same among 100. */
export const search: Figure = {
  name: "search",
  async measure(rig, effort) {
    await using small = await Rig.open();
    const many = await furnished(rig, MANY, effort);
    const few = await furnished(small, FEW);
    const paths = Array.from({ length: 200 }, (_, n) => pathOf(n));
    const reads = ({ port, token }: Product) => ({
      port,
      status: 200,
      connections: 1,
      next: readsOf(paths, asMember(token)),
    });
    const times = await timesOf(many);
    const contest = { ours: reads(many), reference: reads(few), ratioAtLeast: RATIO };
    const { notes, ...rest } = await compare(contest, effort);
    const p95 = percentile(times, 0.95);
    return {
      ...rest,
      target: `${rest.target}, p95 ≤ ${TARGET_MS} ms`,
      reached: rest.reached && p95 <= TARGET_MS,
      notes: [
        `ours: ${MANY} things; reference: ${FEW}`,
        `one at a time: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
        ...notes,
      ],
      values: { ...rest.values, times },
    };
  },
};

/** Frequent words, rare words, several words, a prefix, a number, and a word without matches. */
function pathOf(n: number): string {
  const word = WORDS[n % WORDS.length] ?? "";
  const texts = [
    word,
    `${word} ${n % 977}`,
    word.slice(0, 3),
    `INC${String(1 + (n % 40)).padStart(7, "0")}`,
    `keeper${n * 7}`,
    `${word} nowhere`,
  ];
  return `/api/v1/search?q=${encodeURIComponent(texts[n % texts.length] ?? "")}`;
}

async function furnished(rig: Rig, count: number, effort?: Effort): Promise<Product> {
  const product = await rig.startProduct(effort);
  await deploy(product, ORDERS);
  for (const seed of SEEDS) await rig.query(seed, [count]);
  // Simulates a database in long-term operation.
  for (const table of ["workflows", "incidents", "tickets", "contacts"]) {
    await rig.query(`vacuum analyze ${table}`);
  }
  return product;
}

async function timesOf({ port, token }: Product): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + ASKED; n += 1) {
    const sentAtMs = nowMs();
    const reply = await fetch(`http://127.0.0.1:${port}${pathOf(n)}`, { headers: asMember(token) });
    const text = await reply.text();
    if (n >= WARM_UP) times.push(nowMs() - sentAtMs);
    if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${text}`);
  }
  return times.toSorted((one, other) => one - other);
}
