import type { Tx } from "#kernel/db/connection.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { kpiStore } from "../kpis/store.ts";
import { reportStore } from "../reports/store.ts";
import type { NewWidget, Widget } from "./dashboard.ts";

/** The field that each kind of widget needs. */
const CONTENT_FIELDS = { report: "reportId", kpi: "kpiId", text: "text" } as const;

/** Completes widgets with ids and layouts; the reports and KPIs that they name stay until this commits. */
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
    for (const [kind, key] of Object.entries(CONTENT_FIELDS)) {
      const isRequired = kind === widget.kind;
      if (isRequired === (widget[key] !== undefined)) continue;
      const message = isRequired ? "is required" : `does not go with the kind ${widget.kind}`;
      errors.push({ path: `${path}/${key}`, message });
    }
    for (const key of ["reportId", "kpiId"] as const) {
      const id = widget[key];
      if (id !== undefined && !existing[key].has(id)) {
        errors.push({ path: `${path}/${key}`, message: "is not there" });
      }
    }
    const id = widget.id ?? `w${index + 1}`;
    if (ids.has(id)) errors.push({ path: `${path}/id`, message: "comes more than once" });
    ids.add(id);
    return { ...widget, id };
  });
  assertNoErrors(errors);
  return widgets;
}

const HEIGHT = 4;
const WIDTH = 12;

/** The kind follows from what it shows; without a layout it comes below the others. */
function widgetDefaults({ reportId, kpiId }: NewWidget, index: number) {
  const kind = reportId === undefined ? (kpiId === undefined ? "text" : "kpi") : "report";
  const layout = { x: 0, y: index * HEIGHT, w: WIDTH, h: HEIGHT };
  return { title: "", kind, layout } as const;
}
