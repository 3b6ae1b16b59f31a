import { setTimeout as pause } from "node:timers/promises";
import { judge, together, WARM_UP_MS } from "../compare.ts";
import type { Effort, Figure, Measured } from "../figure.ts";
import { type Load, load, type Target } from "../load.ts";
import { asMember, newIncidents, readsOf } from "../request.ts";
import type { Rig } from "../rig.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const OPEN_EACH = 40;
const RATIO_AT_LEAST = 0.75;
const PATH = "/api/v1/itsm/incidents";

/** Most are closed. One user has forty open ones. */
const SEED = `
  insert into incidents (id, workspace_id, environment, no, number, title, description, state,
    impact, urgency, priority, severity, category, caller_id, assignee_id, created_by,
    created_at, updated_at, closed_at)
  select 'inc_' || lpad(n::text, 26, '0'), home_workspace_id, 'production', n,
         'INC' || lpad(n::text, 7, '0'), 'Incident ' || n, 'All is well. All is well.',
         case when n % ($2::int / $4::int) = 0 then 'in_progress' else 'closed' end,
         1 + n % 3, 1 + n % 3, 1 + n % 5, 'medium', 'network', $3, $3, $3, at, at, at
    from generate_series($1::int, $2::int) as n, installation,
         lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as time`;

/** A desk with a million incidents, against itself with a thousand. */
export const tickets: Figure = {
  name: "tickets",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const headers = asMember(product.token);
    const me = await fetch(`http://127.0.0.1:${product.port}/api/v1/auth/me`, { headers });
    const { data } = (await me.json()) as { data: { user: { id: string } } };
    const target = (next: () => string, status = 200): Target => ({
      port: product.port,
      status,
      next,
    });
    const targets = (count: number): Readonly<Record<string, Target>> => ({
      get: target(readsOf(pathsAmong(count), headers)),
      "my queue": target(readsOf([`${PATH}?mine=true&limit=50`], headers)),
      create: target(newIncidents(PATH, headers), 201),
    });
    await furnish(rig, 1, FEW, data.user.id);
    const few = await rounds(targets(FEW), effort);
    await furnish(rig, FEW + 1, MANY, data.user.id);
    const many = await rounds(targets(MANY), effort);
    const parts = Object.entries(many).map(([name, ours]): [string, Measured] => [
      name,
      { ...judge(ours, few[name] ?? [], RATIO_AT_LEAST), notes: [] },
    ]);
    const all = together(Object.fromEntries(parts));
    const names = parts.map(([name]) => name).join(", ");
    return { ...all, notes: [`${names}; ${MANY} incidents against ${FEW}`] };
  },
};

function pathsAmong(count: number): string[] {
  const step = count / FEW;
  return Array.from(
    { length: FEW },
    (_, at) => `${PATH}/inc_${String((at + 1) * step).padStart(26, "0")}`,
  );
}

async function furnish(rig: Rig, from: number, to: number, userId: string): Promise<void> {
  await rig.query(SEED, [from, to, userId, OPEN_EACH]);
  // Outside the range of the seeded numbers.
  await rig.query(
    `insert into ticket_numbers (workspace_id, kind, last)
     select home_workspace_id, 'incident', $1 from installation on conflict do nothing`,
    [MANY * 2],
  );
  await rig.query("vacuum analyze incidents");
}

async function rounds(
  targets: Readonly<Record<string, Target>>,
  effort: Effort,
): Promise<Readonly<Record<string, Load[]>>> {
  const all: Record<string, Load[]> = {};
  for (const [name, target] of Object.entries(targets)) {
    await load(target, { forMs: WARM_UP_MS });
    const own: Load[] = [];
    for (let round = 0; round < effort.rounds; round += 1) {
      await pause(250);
      own.push(await load(target, { forMs: effort.roundMs }));
    }
    all[name] = own;
  }
  return all;
}
