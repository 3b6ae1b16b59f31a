/** Builds a report without JSON: source, measure, groups, filter, period, chart. Each change is a new draft. */
import { REPORT_TIME_BUCKET_UNIT } from "@millrace/client/enums";
import "./builder.css";
import { Plus, X } from "lucide-react";
import { type Permission, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { ConditionLines } from "./condition-lines.tsx";
import { Measures } from "./measures.tsx";
import {
  chartOf,
  CHARTS,
  type ChartType,
  type Fields,
  groupNames,
  localZone,
  type ReportDraft,
  setChart,
  setSource,
  sortByFit,
  without,
} from "./model.ts";
import { FunnelSteps } from "./funnel-steps.tsx";
import { NumberLook } from "./number-look.tsx";
import type { PartProps } from "./part.ts";
import { PeriodPart } from "./period-part.tsx";
import { SourcePicker } from "./source-picker.tsx";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

export interface BuilderProps {
  readonly draft: ReportDraft;
  readonly onChange: (draft: ReportDraft) => void;
  /** An alert uses a single number, without groups and chart settings. */
  readonly isNumber?: boolean;
  /** False if the period is defined elsewhere. */
  readonly hasPeriod?: boolean;
}

export function Builder(props: BuilderProps) {
  const { draft, onChange, isNumber = false, hasPeriod = true } = props;
  const may = useMay();
  const kinds = useOp("reports.sources", { query: { limit: 200 } }).data?.data;
  const kind = kinds?.find((one) => one.kind === draft.source.kind);
  const isHidden = kind !== undefined && !may(kind.permission as Permission);
  const { data, error, isPlaceholderData } = useOp(
    "reports.fields",
    { body: { source: draft.source } },
    { enabled: kinds !== undefined && !isHidden },
  );
  // Fields of the previous source would create groups that the new one does not have.
  const fields: Fields = isPlaceholderData ? [] : (data?.data ?? []);
  const byFit = useFieldsByFit(draft.source, fields);
  const chart = chartOf(draft);
  const part = { draft, fields, onChange };
  return (
    <div className="build">
      <SourcePicker
        source={draft.source}
        onChange={(source) => onChange(setSource(draft, source))}
      />
      {isHidden && (
        <p className="field-error">
          You don't have permission to see these rows. Select another source.
        </p>
      )}
      {error && <p className="field-error">{error.message}</p>}
      {!isNumber && (
        <Field label="Type">
          {(attributes) => (
            <Select
              {...attributes}
              disabled={fields.length === 0}
              value={chart}
              onChange={({ target }) => onChange(setChart(draft, target.value as ChartType, byFit))}
            >
              {CHARTS.map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {chart === "funnel" ? <FunnelSteps {...part} /> : <Measures {...part} isSingle={isNumber} />}
      {!isNumber && <Groups {...part} chart={chart} />}
      <div className="field-box">
        <span className="build-label">Filter</span>
        <ConditionLines
          label="Filter"
          fields={fields}
          value={draft.filter}
          onChange={(filter) =>
            onChange(
              Object.keys(filter).length === 0 ? without(draft, ["filter"]) : { ...draft, filter },
            )
          }
        />
      </div>
      {hasPeriod && (
        <PeriodPart {...part} canCompare={!isNumber && chart !== "funnel" && chart !== "heat"} />
      )}
      {chart === "stat" && !isNumber && <NumberLook {...part} />}
    </div>
  );
}

/** The number of fields that one report can count. */
const COUNTED_MAX = 10;

/** Sorts the fields: first those with few enough values for a chart. */
function useFieldsByFit(source: ReportDraft["source"], fields: Fields): Fields {
  const names = groupNames(fields).slice(0, COUNTED_MAX);
  const aggregates = names.map((field, n) => ({ fn: "distinct" as const, field, as: `g${n}` }));
  const { data } = useOp(
    "reports.preview",
    { body: { source, aggregates } },
    { enabled: names.length > 1 },
  );
  const [counts] = data?.data.rows ?? [];
  return sortByFit(fields, (name) => Number(counts?.[`g${names.indexOf(name)}`] ?? Infinity));
}

const UNITS = REPORT_TIME_BUCKET_UNIT;

function Groups({ draft, fields, onChange, chart }: PartProps & { readonly chart: string }) {
  const { groupBy = [] } = draft;
  if (chart === "stat" || chart === "funnel" || chart === "heat") return null;
  const most = chart === "bar" || chart === "area" || chart === "stacked" ? 1 : 3;
  const put = (next: readonly string[]): void =>
    onChange({ ...draft, groupBy: [...next], ...(chart === "pivot" && { pivot: next.slice(-1) }) });
  return (
    <>
      {(chart === "area" || chart === "stacked" || chart === "table") && (
        <BucketPart {...{ draft, fields, onChange }} />
      )}
      <div className="field-box">
        <span className="build-label">Group by</span>
        {groupBy.map((name, n) => (
          <div key={n} className="build-line">
            <Select
              aria-label={`Group ${n + 1}`}
              value={name}
              onChange={({ target }) =>
                put(groupBy.map((one, at) => (at === n ? target.value : one)))
              }
            >
              {fields.map((field) => (
                <option key={field.name} value={field.name}>
                  {field.title ?? field.name}
                </option>
              ))}
            </Select>
            <Button
              look="bare"
              isIcon
              type="button"
              aria-label={`Remove group ${n + 1}`}
              onClick={() => put(groupBy.filter((_, at) => at !== n))}
            >
              <X />
            </Button>
          </div>
        ))}
        {groupBy.length < most && (
          <Button
            look="bare"
            type="button"
            disabled={fields.length === 0}
            onClick={() => {
              const free = groupNames(fields).find((one) => !groupBy.includes(one));
              const name = free ?? fields[0]?.name;
              if (name !== undefined) put([...groupBy, name]);
            }}
          >
            <Plus /> Add group
          </Button>
        )}
      </div>
    </>
  );
}

function BucketPart({ draft, fields, onChange }: PartProps) {
  const { timeBucket } = draft;
  const times = fields.filter(({ type }) => type === "time" || type === "date");
  if (times.length === 0) return null;
  return (
    <Field label="Over time">
      {(attributes) => (
        <span className="build-pair">
          <Select
            {...attributes}
            value={timeBucket?.field ?? ""}
            onChange={({ target }) =>
              onChange(
                target.value === ""
                  ? without(draft, ["timeBucket"])
                  : {
                      ...draft,
                      timeBucket: {
                        unit: "day",
                        timezone: localZone(),
                        fill: true,
                        ...timeBucket,
                        field: target.value,
                      },
                    },
              )
            }
          >
            <option value="">None</option>
            {times.map(({ name, title }) => (
              <option key={name} value={name}>
                {title ?? name}
              </option>
            ))}
          </Select>
          {timeBucket && (
            <Select
              aria-label="Interval"
              value={timeBucket.unit}
              onChange={({ target }) => {
                const unit = UNITS.find((one) => one === target.value) ?? "day";
                onChange({ ...draft, timeBucket: { ...timeBucket, unit } });
              }}
            >
              {UNITS.map((unit) => (
                <option key={unit} value={unit}>
                  by {unit}
                </option>
              ))}
            </Select>
          )}
        </span>
      )}
    </Field>
  );
}
