import { KPI_WINDOW_UNIT, KPI_DIRECTION } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { Builder } from "../../analytics/index.ts";
import { call, useOp } from "../../data/api.ts";
import {
  EditorForm,
  LineField,
  NameField,
  SelectField,
  useEditor,
} from "../../desk-settings/index.ts";
import { TimeFields } from "../mail/time-fields.tsx";
import { type Kpi, toKpiBody, toKpiDraft } from "./kpi-draft.ts";
import { KpiHistory } from "./kpi-history.tsx";

interface KpiEditorProps {
  readonly kpi: Kpi | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const UNITS = choicesOf(KPI_WINDOW_UNIT, { minutes: "minutes", hours: "hours", days: "days" });
const DIRECTIONS = choicesOf(KPI_DIRECTION, {
  up: "At the target or above",
  down: "At the target or below",
});

/** What is measured, its target and its times, beside what it was. */
export function KpiEditor({ kpi, refusal, onOpen }: KpiEditorProps) {
  const reports = useOp("reports.list", { query: { limit: 200 } }).data?.data ?? [];
  const editor = useEditor({
    initial: toKpiDraft(kpi),
    revision: kpi?.revision,
    stale: "kpis.",
    refusal,
    save: async (draft, ifMatch) => {
      const { window = null, ...body } = toKpiBody(draft);
      const params = { id: kpi?.id ?? "" };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return kpi
        ? (await call("kpis.update", { params, body: { ...body, window } }, options)).data
        : (await call("kpis.create", { body: { ...body, ...(window && { window }) } })).data;
    },
    ...(kpi && { remove: () => call("kpis.delete", { params: { id: kpi.id } }) }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={kpi?.name ?? "New KPI"}
      editor={editor}
      consequence="Its history goes with it."
      aside={kpi && <KpiHistory kpi={kpi} refusal={refusal} />}
    >
      <NameField {...editor} />
      <SelectField
        label="Measures"
        value={draft.reportId}
        options={[
          ["", "A number of its own"],
          ...reports.map(({ id, name }) => [id, `The first number of ${name}`] as const),
        ]}
        onChange={(reportId) => change({ reportId })}
        error={errorOf("/reportId")}
      />
      {draft.reportId === "" && (
        <Builder
          isNumber
          hasPeriod={false}
          draft={draft.report}
          onChange={(report) => change({ report })}
        />
      )}
      <div className="editor-columns">
        <LineField
          label="Of the last"
          placeholder="7"
          help="Nothing: of all that there is at that moment"
          value={draft.last}
          onChange={(last) => change({ last: last.replaceAll(/\D/g, "") })}
          error={errorOf("/window/last")}
          isOptional
        />
        <SelectField
          label="Unit of time"
          value={draft.unit}
          options={UNITS}
          onChange={(unit) => change({ unit })}
        />
      </div>
      <div className="editor-columns">
        <LineField
          label="Target"
          value={draft.target}
          onChange={(target) => change({ target })}
          error={errorOf("/target")}
        />
        <SelectField
          label="Good is"
          value={draft.direction}
          options={DIRECTIONS}
          onChange={(direction) => change({ direction })}
        />
        <LineField
          label="Behind the number"
          placeholder="h"
          value={draft.behind}
          onChange={(behind) => change({ behind })}
          isOptional
        />
      </div>
      <TimeFields
        times={draft.schedule}
        onChange={(schedule) => change({ schedule })}
        error={errorOf("/schedule/cron") ?? errorOf("/schedule/timezone")}
      />
    </EditorForm>
  );
}
