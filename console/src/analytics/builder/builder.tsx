/** Builds a report without JSON: source, measure, groups, filter, period, chart. Each change is a new draft. */
import "./builder.css";
import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import { ConditionLines } from "./condition-lines.tsx";
import { Measures } from "./measures.tsx";
import {
  chartOf,
  CHARTS,
  type ChartType,
  type Fields,
  localZone,
  type ReportDraft,
  setChart,
  setSource,
  timeField,
  without,
} from "./model.ts";
import { findPeriod, PERIODS, periodWords } from "./periods.ts";
import { SourcePicker } from "./source-picker.tsx";

export interface BuilderProps {
  readonly draft: ReportDraft;
  readonly onChange: (draft: ReportDraft) => void;
  /** An alert is about one number: it has no groups and no look. */
  readonly isNumber?: boolean;
}

export function Builder({ draft, onChange, isNumber = false }: BuilderProps) {
  const { data, error } = useOp("reports.fields", { body: { source: draft.source } });
  const fields: Fields = data?.data ?? [];
  const chart = chartOf(draft);
  const part = { draft, fields, onChange };
  return (
    <div className="build">
      <SourcePicker
        source={draft.source}
        onChange={(source) => onChange(setSource(draft, source))}
      />
      {error && <p className="field-error">{error.message}</p>}
      {!isNumber && (
        <Field label="Shown as">
          {(attributes) => (
            <select
              {...attributes}
              className="field"
              value={chart}
              onChange={({ target }) =>
                onChange(setChart(draft, target.value as ChartType, fields))
              }
            >
              {CHARTS.map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {chart === "funnel" ? <FunnelSteps {...part} /> : <Measures {...part} isSingle={isNumber} />}
      {!isNumber && <Groups {...part} chart={chart} />}
      <div className="field-box">
        <span className="build-label">Only rows with</span>
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
      <PeriodPart {...part} canCompare={!isNumber && chart !== "funnel" && chart !== "heat"} />
      {chart === "stat" && !isNumber && <TargetPart {...part} />}
    </div>
  );
}

interface PartProps {
  readonly draft: ReportDraft;
  readonly fields: Fields;
  readonly onChange: (draft: ReportDraft) => void;
}

const UNITS = ["hour", "day", "week", "month", "quarter", "year"] as const;

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
        <span className="build-label">Grouped by</span>
        {groupBy.map((name, n) => (
          <div key={n} className="build-line">
            <select
              className="field"
              aria-label={`Group ${n + 1}`}
              value={name}
              onChange={({ target }) =>
                put(groupBy.map((one, at) => (at === n ? target.value : one)))
              }
            >
              {fields.map((field) => (
                <option key={field.name}>{field.name}</option>
              ))}
            </select>
            <button
              type="button"
              className="btn bare icon"
              aria-label={`Remove group ${n + 1}`}
              onClick={() => put(groupBy.filter((_, at) => at !== n))}
            >
              <X />
            </button>
          </div>
        ))}
        {groupBy.length < most && (
          <button
            type="button"
            className="btn bare"
            disabled={fields.length === 0}
            onClick={() => {
              const free = fields.find(
                ({ name, type }) => type === "text" && !groupBy.includes(name),
              );
              const name = free?.name ?? fields[0]?.name;
              if (name !== undefined) put([...groupBy, name]);
            }}
          >
            <Plus /> Add a group
          </button>
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
          <select
            {...attributes}
            className="field"
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
            <option value="">Not over time</option>
            {times.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {timeBucket && (
            <select
              className="field"
              aria-label="By"
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
            </select>
          )}
        </span>
      )}
    </Field>
  );
}

function PeriodPart({
  draft,
  fields,
  onChange,
  canCompare,
}: PartProps & { readonly canCompare: boolean }) {
  const { period, compare } = draft;
  const times = fields.filter(({ type }) => type === "time" || type === "date");
  const chosen = period ? (findPeriod(period)?.id ?? "own") : "";
  const field = period?.field ?? draft.timeBucket?.field ?? timeField(draft, fields);
  const choose = (id: string): void => {
    const found = PERIODS.find((one) => one.id === id);
    if (!found) return onChange(without(draft, ["period", "compare"]));
    const { from, to } = found;
    onChange({
      ...draft,
      period: { from, ...(to !== undefined && { to }), ...(field !== undefined && { field }) },
    });
  };
  return (
    <>
      <Field label="Period">
        {(attributes) => (
          <span className="build-pair">
            <select
              {...attributes}
              className="field"
              value={chosen}
              onChange={({ target }) => choose(target.value)}
            >
              <option value="">All time</option>
              {chosen === "own" && period && <option value="own">{periodWords(period)}</option>}
              {PERIODS.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
            {period && times.length > 1 && (
              <select
                className="field"
                aria-label="Time that counts"
                value={field ?? ""}
                onChange={({ target }) =>
                  onChange({ ...draft, period: { ...period, field: target.value } })
                }
              >
                {times.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </span>
        )}
      </Field>
      {canCompare && period && (
        <Field label="Compared with">
          {(attributes) => (
            <select
              {...attributes}
              className="field"
              value={compare ?? ""}
              onChange={({ target }) => {
                const next = COMPARES.find(([id]) => id === target.value)?.[0];
                onChange(next ? { ...draft, compare: next } : without(draft, ["compare"]));
              }}
            >
              <option value="">Nothing</option>
              {COMPARES.map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}

const COMPARES = [
  ["period", "The period before"],
  ["week", "A week earlier"],
  ["month", "A month earlier"],
  ["year", "A year earlier"],
] as const;

function TargetPart({ draft, onChange }: PartProps) {
  const chart = draft.chart ?? { type: "stat" };
  const put = (change: object): void => onChange({ ...draft, chart: { ...chart, ...change } });
  return (
    <>
      <Field label="Target" isOptional>
        {(attributes) => (
          <span className="build-pair">
            <select
              className="field build-side"
              aria-label="Good side of the target"
              value={chart.better ?? "up"}
              onChange={({ target }) => put({ better: target.value === "down" ? "down" : "up" })}
            >
              <option value="up">at least</option>
              <option value="down">at most</option>
            </select>
            <input
              {...attributes}
              className="field"
              type="number"
              step="any"
              value={chart.target ?? ""}
              onChange={({ target }) =>
                put({ target: target.value === "" ? undefined : Number(target.value) })
              }
            />
          </span>
        )}
      </Field>
      <Field label="Written as">
        {(attributes) => (
          <span className="build-pair">
            <select
              {...attributes}
              className="field"
              value={chart.format ?? "number"}
              onChange={({ target }) => put({ format: target.value })}
            >
              <option value="number">Number</option>
              <option value="percent">Percent</option>
              <option value="duration">Duration (of ms)</option>
            </select>
            <input
              className="field build-side"
              aria-label="Unit"
              placeholder="Unit"
              value={chart.unit ?? ""}
              onChange={({ target }) =>
                put({ unit: target.value === "" ? undefined : target.value })
              }
            />
          </span>
        )}
      </Field>
    </>
  );
}

function FunnelSteps({ draft, fields, onChange }: PartProps) {
  const { funnel } = draft;
  if (!funnel) return null;
  const put = (steps: typeof funnel.steps): void =>
    onChange({ ...draft, funnel: { ...funnel, steps } });
  return (
    <div className="field-box">
      <span className="build-label">Steps</span>
      {funnel.steps.map((step, n) => (
        <div key={n} className="build-step">
          <div className="build-line">
            <input
              className="field"
              aria-label={`Name of step ${n + 1}`}
              value={step.name}
              onChange={({ target }) =>
                put(
                  funnel.steps.map((one, at) =>
                    at === n ? { ...one, name: target.value || "Step" } : one,
                  ),
                )
              }
            />
            {funnel.steps.length > 2 && (
              <button
                type="button"
                className="btn bare icon"
                aria-label={`Remove step ${n + 1}`}
                onClick={() => put(funnel.steps.filter((_, at) => at !== n))}
              >
                <X />
              </button>
            )}
          </div>
          <ConditionLines
            label={`Rules of step ${n + 1}`}
            fields={fields}
            value={step.filter}
            onChange={(filter) =>
              put(funnel.steps.map((one, at) => (at === n ? { ...one, filter } : one)))
            }
          />
        </div>
      ))}
      <button
        type="button"
        className="btn bare"
        onClick={() =>
          put([...funnel.steps, { name: `Step ${funnel.steps.length + 1}`, filter: {} }])
        }
      >
        <Plus /> Add a step
      </button>
    </div>
  );
}
