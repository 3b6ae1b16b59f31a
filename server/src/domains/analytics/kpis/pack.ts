import Type, { type Static } from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { type PackContext, packContent } from "#kernel/contributions/pack-content.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { AnalyticsWrite } from "../permissions.ts";
import { assertSource } from "../reports/source.ts";
import * as reports from "../reports/store.ts";
import { fields, type Measure } from "./kpi.ts";
import { assertSchedule } from "./schedule.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const schema = object(
  {
    name: fields.name,
    description: Type.Optional(fields.description),
    report: Type.Optional(line(200, "The name of a report, of the pack or there before")),
    aggregate: Type.Optional(fields.aggregate),
    window: Type.Optional(fields.window),
    target: fields.target,
    direction: fields.direction,
    schedule: fields.schedule,
    unit: Type.Optional(fields.unit),
  },
  { title: "PackKpi" },
);
type PackKpi = Static<typeof schema>;

/** KPIs that packs bring. They run with the rights of whoever installs the pack. */
export const kpiContent = packContent({
  kind: "kpis",
  after: ["reports"],
  permission: AnalyticsWrite,
  environmentScoped: true,
  schema,
  keyOf: ({ name }) => name,
  async prepare(platform, { report, aggregate, schedule }) {
    assertSchedule(schedule);
    if ((report === undefined) === (aggregate === undefined)) {
      throw invalidField("/aggregate", "either it or report is required");
    }
    if (aggregate) assertSource(platform, aggregate.source);
  },
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const kpi = await store.find(tx, id);
    if (!kpi) return undefined;
    const { name, description, measure, target, direction, schedule, unit } = kpi;
    return { name, description, measure, target, direction, schedule, unit };
  },
  create: async (ctx, kpi) =>
    (await service.create(ctx, draftOf(kpi), await measureOf(ctx, kpi))).id,
  async replace(ctx, id, kpi) {
    const change = { description: "", ...draftOf(kpi), unit: kpi.unit ?? null };
    await service.update(ctx, id, change, { measure: await measureOf(ctx, kpi) });
    return id;
  },
  remove: service.remove,
});

function draftOf({ report: _, aggregate: __, window: ___, ...draft }: PackKpi) {
  return draft;
}

async function measureOf(
  { tx }: PackContext,
  { report, aggregate, window }: PackKpi,
): Promise<Measure> {
  const found = report === undefined ? undefined : await reports.findByName(tx, report);
  if (report !== undefined && !found) {
    throw invalidField("/report", `there is no report called ${report}`);
  }
  return { reportId: found?.id ?? null, aggregate: aggregate ?? null, window: window ?? null };
}
