import { Plus, X } from "lucide-react";
import { ConditionLines } from "./condition-lines.tsx";
import { type Aggregate, type Fields, FUNCTIONS, type ReportDraft } from "./model.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface MeasuresProps {
  readonly draft: ReportDraft;
  readonly fields: Fields;
  readonly onChange: (draft: ReportDraft) => void;
  readonly isSingle: boolean;
}

const MEASURES_MAX = 6;
const MEDIAN = 0.5;
const PERCENTILES = [MEDIAN, 0.75, 0.9, 0.95, 0.99];

/** The measures: one or several values, each with an optional filter. */
export function Measures({ draft, fields, onChange, isSingle }: MeasuresProps) {
  const measures = draft.aggregates ?? [{ fn: "count" as const }];
  const put = (next: readonly Aggregate[]): void =>
    onChange({ ...draft, aggregates: nameAll(next) });
  return (
    <div className="field-box">
      <span className="build-label">Values</span>
      {measures.map((measure, n) => (
        <MeasureLine
          key={n}
          {...{ measure, fields, n }}
          onChange={(next) => put(measures.map((one, at) => (at === n ? next : one)))}
          onRemove={
            measures.length > 1 ? () => put(measures.filter((_, at) => at !== n)) : undefined
          }
        />
      ))}
      {!isSingle && measures.length < MEASURES_MAX && (
        <Button
          look="bare"
          type="button"
          onClick={() =>
            put([...measures, { fn: "count", filter: {}, as: `value_${measures.length + 1}` }])
          }
        >
          <Plus /> Add value
        </Button>
      )}
    </div>
  );
}

/** Values must have unique names. */
function nameAll(measures: readonly Aggregate[]): Aggregate[] {
  const seen = new Set<string>();
  return measures.map((measure, n) => {
    const own =
      measure.as ?? (measure.field === undefined ? measure.fn : `${measure.fn}_${measure.field}`);
    const isTaken = seen.has(own);
    seen.add(own);
    return isTaken ? { ...measure, as: `value_${n + 1}` } : measure;
  });
}

interface MeasureLineProps {
  readonly measure: Aggregate;
  readonly n: number;
  readonly fields: Fields;
  readonly onChange: (measure: Aggregate) => void;
  readonly onRemove: (() => void) | undefined;
}

function MeasureLine({ measure, n, fields, onChange, onRemove }: MeasureLineProps) {
  const { fn, field, p = MEDIAN, filter } = measure;
  const usable = fields.filter(
    ({ type }) => fn === "distinct" || type === "number" || type === "json",
  );
  const setFunction = (next: string): void => {
    const found = FUNCTIONS.find(([id]) => id === next)?.[0] ?? "count";
    const numbers = fields.filter(({ type }) => found === "distinct" || type === "number");
    const chosen = numbers.some(({ name }) => name === field) ? field : numbers[0]?.name;
    const isPlain = found === "count" || found === "ratio";
    onChange({
      fn: found,
      ...(!isPlain && chosen !== undefined && { field: chosen }),
      ...(found === "percentile" && { p }),
      ...(found === "ratio" && { filter: filter ?? {} }),
    });
  };
  return (
    <div className="build-step">
      <div className="build-line">
        <Select
          aria-label={`Value ${n + 1}`}
          value={fn}
          onChange={({ target }) => setFunction(target.value)}
        >
          {FUNCTIONS.map(([id, words]) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </Select>
        {fn !== "count" && fn !== "ratio" && (
          <Select
            aria-label={`Field of value ${n + 1}`}
            value={field ?? ""}
            onChange={({ target }) => onChange({ ...measure, field: target.value })}
          >
            {usable.map(({ name, title }) => (
              <option key={name} value={name}>
                {title ?? name}
              </option>
            ))}
          </Select>
        )}
        {fn === "percentile" && (
          <Select
            className="build-side"
            aria-label={`Percentile of value ${n + 1}`}
            value={p}
            onChange={({ target }) => onChange({ ...measure, p: Number(target.value) })}
          >
            {PERCENTILES.map((one) => (
              <option key={one} value={one}>
                {one === MEDIAN ? "median" : `${one * 100} %`}
              </option>
            ))}
          </Select>
        )}
        {onRemove && (
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label={`Remove value ${n + 1}`}
            onClick={onRemove}
          >
            <X />
          </Button>
        )}
      </div>
      {(fn === "ratio" || filter !== undefined) && (
        <ConditionLines
          label={`Rules of value ${n + 1}`}
          fields={fields}
          value={filter}
          onChange={(next) => onChange({ ...measure, filter: next })}
        />
      )}
    </div>
  );
}
