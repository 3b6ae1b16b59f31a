import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import Type from "typebox";
import type { Item } from "#kernel/resource/resource.ts";
import { tableStore } from "#kernel/resource/table.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { Kpi, type Measure } from "./kpi.ts";

const { reportId: _, aggregate: __, window: ___, schedule: ____, ...plain } = Kpi.properties;
const StoredKpi = Type.Object({
  ...plain,
  measure: Type.Unsafe<Measure>({}),
  cron: Type.String(),
  timezone: Type.String(),
  permissions: nullable(Type.Array(Type.String())),
});
/** A KPI, its measure, and its owner. */
export type StoredKpi = Item<typeof Kpi, typeof StoredKpi>;

export const kpiTable = {
  table: "kpis",
  schema: Kpi,
  stored: StoredKpi,
  json: ["measure"],
  toItem: ({ measure, cron, timezone }: Pick<StoredKpi, "measure" | "cron" | "timezone">) => ({
    ...measure,
    schedule: { cron, timezone },
  }),
} as const;

export const kpiStore = tableStore<typeof Kpi, typeof StoredKpi>(kpiTable);

/** KPIs that act in the name of a member. */
export const unattendedKpis: UnattendedWork = {
  kind: "kpi",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select id, name, environment from kpis where run_as = $1 order by id limit $2`;
