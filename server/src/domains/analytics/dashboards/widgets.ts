import type { Tx } from "#kernel/db/connection.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import {
  assertNoErrors,
  Failure,
  type FieldError,
  Invalid,
  invalidInput,
} from "#kernel/operation/failure.ts";
import { kpiStore } from "../kpis/store.ts";
import { toDefinition } from "../reports/report.ts";
import { checkReport } from "../reports/run-report.ts";
import { reportStore } from "../reports/store.ts";
import type { NewWidget, Widget } from "./dashboard.ts";

/** The allowed content fields of each kind of widget. */
const CONTENT_FIELDS = {
  report: ["reportId", "report"],
  kpi: ["kpiId"],
  text: ["text"],
} as const;

/** Throws if the caller cannot run the reports inside the widgets. */
export async function checkWidgetReports(
  request: ReportRequest,
  inputs: readonly NewWidget[],
): Promise<void> {
  for (const [index, { report }] of inputs.entries()) {
    if (!report) continue;
    try {
      await checkReport(request, toDefinition(report));
    } catch (error) {
      if (!(error instanceof Failure) || error.type !== Invalid) throw error;
      const { errors = [] } = error.particulars;
      const at = `/widgets/${index}/report`;
      throw invalidInput(errors.map(({ path, message }) => ({ path: at + path, message })));
    }
  }
}

/** Adds ids and layouts to widgets; locks the reports and KPIs that they name against deletion until the commit. */
export async function checkWidgets(tx: Tx, inputs: readonly NewWidget[]): Promise<Widget[]> {
  const errors: FieldError[] = [];
  const named = (key: "reportId" | "kpiId") => inputs.flatMap((widget) => widget[key] ?? []);
  const existing = {
    reportId: await reportStore.hold(tx, named("reportId")),
    kpiId: await kpiStore.hold(tx, named("kpiId")),
  };
  const ids = new Set<string>();
  const widgets = inputs.map((input, index) => {
    const path = `/widgets/${index}`;
    const widget = { ...widgetDefaults(input, index), ...input };
    errors.push(...contentErrors(widget, path));
    for (const key of ["reportId", "kpiId"] as const) {
      const id = widget[key];
      if (id !== undefined && !existing[key].has(id)) {
        errors.push({ path: `${path}/${key}`, message: "does not exist" });
      }
    }
    const id = widget.id ?? `w${index + 1}`;
    if (ids.has(id)) errors.push({ path: `${path}/id`, message: "appears more than once" });
    ids.add(id);
    return { ...widget, id };
  });
  assertNoErrors(errors);
  return widgets;
}

function contentErrors(widget: NewWidget & Pick<Widget, "kind">, path: string): FieldError[] {
  return Object.entries(CONTENT_FIELDS).flatMap(([kind, keys]): FieldError[] => {
    const given = keys.filter((key) => widget[key] !== undefined);
    const [first] = keys;
    if (kind !== widget.kind) {
      const message = `is not allowed for the kind ${widget.kind}`;
      return given.map((key) => ({ path: `${path}/${key}`, message }));
    }
    if (given.length === 0) return [{ path: `${path}/${first}`, message: "is required" }];
    const [, ...more] = given;
    return more.map((key) => ({
      path: `${path}/${key}`,
      message: `can't be combined with ${first}`,
    }));
  });
}

const HEIGHT = 4;
const WIDTH = 12;

/** The kind follows from the content; without a layout the widget is placed below the others. */
function widgetDefaults({ reportId, report, kpiId }: NewWidget, index: number) {
  const kind = (reportId ?? report) ? "report" : kpiId === undefined ? "text" : "kpi";
  const layout = { x: 0, y: index * HEIGHT, w: WIDTH, h: HEIGHT };
  return { title: "", kind, layout } as const;
}
