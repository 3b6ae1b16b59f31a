import type { Selectable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import { type PolicyInput, POLICIES_MAX, type SlaPolicy } from "./policy.ts";

type Row = Omit<Selectable<Tables["sla_policies"]>, "workspace_id">;

const COLUMNS = [
  "id",
  "name",
  "entity",
  "conditions",
  "targets",
  "calendar",
  "pause_on",
  "warn_at_percent",
  "active",
  "revision",
  "created_at",
  "updated_at",
] as const;

export async function insert(
  tx: Tx,
  id: string,
  { input, now }: { readonly input: PolicyInput; readonly now: Date },
): Promise<SlaPolicy> {
  const row = await tx
    .insertInto("sla_policies")
    .values({ id, ...toColumns(input), created_at: now, updated_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toPolicy(row);
}

export async function get(tx: Tx, id: string): Promise<SlaPolicy> {
  return toFoundPolicy(await byId(tx, id).executeTakeFirst());
}

export async function find(tx: Tx, id: string): Promise<SlaPolicy | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toPolicy(row);
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<SlaPolicy> {
  return toFoundPolicy(await byId(tx, id).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  id: string,
  { input, now }: { readonly input: PolicyInput; readonly now: Date },
): Promise<SlaPolicy> {
  const row = await tx
    .updateTable("sla_policies")
    .set({ ...toColumns(input), updated_at: now })
    .set((old) => ({ revision: old("revision", "+", 1) }))
    .where("id", "=", id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toPolicy(row);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("sla_policies").where("id", "=", id).execute();
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("sla_policies")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** Newest first. */
export async function list(
  tx: Tx,
  page: {
    readonly before: string;
    readonly limit: number;
    readonly entity?: string | undefined;
  },
): Promise<SlaPolicy[]> {
  let query = tx.selectFrom("sla_policies").select(COLUMNS).where("id", "<", page.before);
  if (page.entity !== undefined) query = query.where("entity", "=", page.entity);
  const rows = await query.orderBy("id", "desc").limit(page.limit).execute();
  return rows.map(toPolicy);
}

/** Those that clocks go by. */
export async function active(tx: Tx): Promise<SlaPolicy[]> {
  const rows = await tx
    .selectFrom("sla_policies")
    .select(COLUMNS)
    .where("active", "=", true)
    .orderBy("id")
    .limit(POLICIES_MAX)
    .execute();
  return rows.map(toPolicy);
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("sla_policies").select(COLUMNS).where("id", "=", id);
}

function toFoundPolicy(row: Row | undefined): SlaPolicy {
  if (!row) throw new Failure(NotFound);
  return toPolicy(row);
}

function toColumns({ pauseOn, warnAtPercent, ...input }: PolicyInput) {
  return {
    name: input.name,
    entity: input.entity,
    conditions: JSON.stringify(input.conditions),
    targets: JSON.stringify(input.targets),
    calendar: input.calendar && JSON.stringify(input.calendar),
    pause_on: pauseOn,
    warn_at_percent: warnAtPercent,
    active: input.active,
  };
}

function toPolicy(row: Row): SlaPolicy {
  const { pause_on, warn_at_percent, created_at, updated_at, ...rest } = row;
  const policy = {
    ...rest,
    pauseOn: pause_on,
    warnAtPercent: warn_at_percent,
    createdAt: created_at,
    updatedAt: updated_at,
  };
  // The schemas of its parts were checked when it was saved.
  return policy as SlaPolicy;
}
