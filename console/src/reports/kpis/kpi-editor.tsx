import { KPI_WINDOW_UNIT, KPI_DIRECTION } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { Builder } from "../../analytics/index.ts";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { EditorPanel } from "../../desk-settings/index.ts";
import { partOf } from "../../ui/form/binding.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { ScheduleField } from "../../ui/form/pickers/schedule-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { type Kpi, type KpiDraft, toKpiBody, toKpiDraft } from "./kpi-draft.ts";
import { KpiHistory } from "./kpi-history.tsx";

interface KpiEditorProps {
  readonly kpi: Kpi | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const UNITS = choicesOf(KPI_WINDOW_UNIT, { minutes: "minutes", hours: "hours", days: "days" });
const DIRECTIONS = choicesOf(KPI_DIRECTION, {
  up: "At or above the target",
  down: "At or below the target",
});

const LAST = { type: "integer", minimum: 1 } as const;

/** The form of a KPI: measure, target and period, next to its history. */
export function KpiEditor({ kpi, onOpen }: KpiEditorProps) {
  const reports = useOp("reports.list", { query: { limit: 200 } }).data?.data ?? [];
  const form = useForm(kpi ? "kpis.update" : "kpis.create", {
    params: { id: kpi?.id ?? "" },
    initial: toKpiDraft(kpi),
    version: revisionOf(kpi),
    toBody: (draft: KpiDraft) => toKpiBody(draft, !kpi),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!kpi) onOpen(data.id);
    },
  });
  const { values: draft, field } = form;
  const window = field("window");
  return (
    <EditorPanel
      form={form}
      thing={kpi}
      title={kpi?.name ?? "New KPI"}
      remove="kpis.delete"
      consequence="Its history is deleted too."
      onRemoved={() => onOpen(undefined)}
      aside={kpi && <KpiHistory kpi={kpi} />}
    >
      <TextField {...field("name")} />
      <SelectField
        {...field("measure")}
        label="Measure"
        isRequired
        options={[
          ["", "Custom measure"],
          ...reports.map(({ id, name }) => [id, `First value of ${name}`] as const),
        ]}
      />
      {draft.measure === "" && (
        <Builder
          isNumber
          hasPeriod={false}
          draft={draft.report}
          onChange={(report) => form.change({ report })}
        />
      )}
      <Grid min="m">
        <NumberField
          {...partOf(window, "last", LAST)}
          label="Time range"
          placeholder="7"
          help="Leave empty to include all data up to the calculation time."
        />
        <SelectField {...partOf(window, "unit")} label="Time unit" options={UNITS} />
      </Grid>
      <Grid min="m">
        <NumberField {...field("target")} />
        <SelectField
          {...field("direction")}
          label="Target direction"
          options={DIRECTIONS}
          isRequired
        />
        <TextField {...field("unit")} label="Unit" placeholder="h" />
      </Grid>
      <ScheduleField {...field("schedule")} />
    </EditorPanel>
  );
}
