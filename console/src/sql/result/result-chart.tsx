import { ChartColumn, ChartLine, Hash } from "lucide-react";
import { CourseChart } from "../../ui/display/course-chart.tsx";
import { Empty } from "../../ui/feedback.tsx";
import {
  type Answer,
  type Cells,
  type ChartChoice,
  type ChartKind,
  isNumberColumn,
  PLACES_MAX,
  toChartData,
} from "./chart-data.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select } from "../../ui/form/controls.tsx";

const KINDS: readonly (readonly [ChartKind, string, typeof Hash])[] = [
  ["line", "Line", ChartLine],
  ["bar", "Bars", ChartColumn],
  ["number", "Numbers", Hash],
];

interface ResultChartProps {
  readonly answer: Answer;
  readonly choice: ChartChoice | undefined;
  readonly onChange: (choice: ChartChoice) => void;
}

/** Shows a result as a line chart, bar chart or numbers. */
export function ResultChart({ answer, choice, onChange }: ResultChartProps) {
  if (!choice) {
    return <Empty title="No numbers to chart">A chart needs a result column with numbers.</Empty>;
  }
  return (
    <div className="sql-chart scroll">
      <ChartFields {...{ answer, choice, onChange }} />
      {choice.kind === "number" ? (
        <Numbers answer={answer} choice={choice} />
      ) : (
        <Course answer={answer} choice={choice} />
      )}
    </div>
  );
}

function ChartFields({ answer, choice, onChange }: ResultChartProps & { choice: ChartChoice }) {
  const numbers = answer.columns.filter(isNumberColumn).map(({ name }) => name);
  const toggle = (name: string): void => {
    const of = choice.of.includes(name)
      ? choice.of.filter((one) => one !== name)
      : [...choice.of, name];
    if (of.length > 0) onChange({ ...choice, of });
  };
  return (
    <div className="sql-chart-fields">
      <div className="sql-kinds" role="group" aria-label="Chart type">
        {KINDS.map(([kind, label, Icon]) => (
          <Button
            key={kind}
            type="button"
            aria-pressed={choice.kind === kind}
            onClick={() => onChange({ ...choice, kind })}
          >
            <Icon /> {label}
          </Button>
        ))}
      </div>
      {choice.kind !== "number" && (
        <label className="sql-inline">
          <span className="muted">X axis</span>
          <Select
            value={choice.over}
            onChange={({ target }) => onChange({ ...choice, over: target.value })}
          >
            {answer.columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </label>
      )}
      <fieldset className="sql-inline">
        <legend className="hide">Values</legend>
        {numbers.map((name) => (
          <label key={name} className="sql-check">
            <CheckBox checked={choice.of.includes(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Course({ answer, choice }: { readonly answer: Answer; readonly choice: ChartChoice }) {
  const { places, series, isCut } = toChartData(answer, choice);
  const shape = choice.kind === "line" ? "line" : "bar";
  return (
    <>
      {isCut && <p className="muted">Only the first {PLACES_MAX} rows are shown.</p>}
      <CourseChart
        label={`${choice.of.join(", ")} over ${choice.over}`}
        places={places}
        series={series.map((one) => ({ ...one, shape }))}
      />
    </>
  );
}

function Numbers({ answer, choice }: { readonly answer: Answer; readonly choice: ChartChoice }) {
  const [row] = answer.rows as readonly Cells[];
  return (
    <dl className="sql-figures">
      {choice.of.map((name) => {
        const at = answer.columns.findIndex((column) => column.name === name);
        const value = row?.[at];
        return (
          <div key={name}>
            <dt className="muted">{name}</dt>
            <dd>{typeof value === "number" ? value.toLocaleString("en") : "–"}</dd>
          </div>
        );
      })}
    </dl>
  );
}
