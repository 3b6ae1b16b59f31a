import Type from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { assertSource } from "../reports/source.ts";
import { reportStore } from "../reports/store.ts";
import { kpiFields } from "./kpi.ts";
import { kpis } from "./resource.ts";
import { assertSchedule } from "./schedule.ts";

const schema = object(
  {
    name: kpiFields.name,
    description: Type.Optional(kpiFields.description),
    report: Type.Optional(line(200, "The name of a report in the pack or in the workspace")),
    aggregate: Type.Optional(kpiFields.aggregate),
    window: Type.Optional(kpiFields.window),
    target: kpiFields.target,
    direction: kpiFields.direction,
    schedule: kpiFields.schedule,
    unit: Type.Optional(kpiFields.unit),
  },
  { title: "PackKpi" },
);

/** KPIs in packs. They run with the rights of the member who installs the pack. */
export const kpiContent = resourcePack(kpis, {
  schema,
  after: ["reports"],
  environmentScoped: true,
  async prepare(platform, { report, aggregate, schedule }) {
    assertSchedule(schedule);
    if ((report === undefined) === (aggregate === undefined)) {
      throw invalidField("/aggregate", "is required, or a report");
    }
    if (aggregate) assertSource(platform, aggregate.source);
    return undefined;
  },
  async toInput({ tx }, { report, window = null, ...content }) {
    if (report === undefined) return { ...content, window };
    const stored = await reportStore.findBy(tx, "name", report);
    if (!stored) throw invalidField("/report", `is not the name of a report: ${report}`);
    return { ...content, window, reportId: stored.id };
  },
  async toSource({ tx }, { measure, ...content }) {
    const { reportId, aggregate, ...about } = measure;
    const report = reportId === null ? undefined : await reportStore.find(tx, reportId);
    return { ...content, ...about, aggregate, report: report?.name };
  },
  toContent: ({ name, description, measure, target, direction, schedule, unit }) => ({
    name,
    description,
    measure,
    target,
    direction,
    schedule,
    unit,
  }),
});
