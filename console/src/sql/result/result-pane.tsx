import { Copy, Download } from "lucide-react";
import { useState } from "react";
import { copyText } from "../../ui/behaviour/copy.ts";
import { saveFile } from "../../ui/behaviour/save-file.ts";
import { Empty, ErrorNotice } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { count, toDuration } from "../../ui/words.ts";
import { ROWS_MAX, type SqlRun } from "../use-sql-run.ts";
import { type Answer, type ChartChoice, keepChart } from "./chart-data.ts";
import { PlanView } from "./plan-view.tsx";
import { ResultChart } from "./result-chart.tsx";
import { ResultTable } from "./result-table.tsx";
import { toCsv, toTabs } from "./result-text.ts";
import { Button } from "../../ui/form/button.tsx";

export type ResultTab = "rows" | "chart" | "plan";

interface ResultPaneProps {
  readonly tab: ResultTab;
  readonly onTab: (tab: ResultTab) => void;
  readonly sqlRun: SqlRun;
  readonly limit: number;
  /** The name of the exported file. */
  readonly name: string;
}

/** The result as rows or chart, and its query plan. */
export function ResultPane({ tab, onTab, sqlRun, limit, name }: ResultPaneProps) {
  const { answer, plan, error, isRunning } = sqlRun;
  const [choice, setChoice] = useState<ChartChoice>();
  return (
    <section className={isRunning ? "sql-result busy" : "sql-result"} aria-label="Result">
      <Tabs
        label="Result"
        chosen={tab}
        onChoose={onTab}
        tabs={[
          { id: "rows", label: "Rows" },
          { id: "chart", label: "Chart" },
          { id: "plan", label: "Plan" },
        ]}
        aside={<ResultAside answer={answer} isRunning={isRunning} name={name} />}
      >
        {error !== undefined && <ErrorNotice error={error as Error} />}
        {answer?.truncated && tab !== "plan" && <LimitNote answer={answer} limit={limit} />}
        {tab === "rows" && answer && answer.rowCount > 0 && <ResultTable answer={answer} />}
        {tab === "rows" && answer?.rowCount === 0 && (
          <Empty title="No rows">The query succeeded and returned no rows.</Empty>
        )}
        {tab === "chart" && answer && (
          <ResultChart answer={answer} choice={keepChart(answer, choice)} onChange={setChoice} />
        )}
        {tab === "plan" && plan && <PlanView plan={plan} />}
        {tab !== "plan" && !answer && !error && (
          <Empty title={isRunning ? "Running…" : "No result yet"}>
            Enter a statement and press Ctrl Enter to run it.
          </Empty>
        )}
        {tab === "plan" && !plan && !error && (
          <Empty title="No plan yet">
            Select Explain to see the steps of the query and their duration.
          </Empty>
        )}
      </Tabs>
    </section>
  );
}

function LimitNote({ answer, limit }: { readonly answer: Answer; readonly limit: number }) {
  const isLimit = answer.rowCount >= limit;
  return (
    <p className="sql-note" role="status">
      Showing the first {count(answer.rowCount, "row")}. There are more rows.{" "}
      {isLimit && limit < ROWS_MAX
        ? "Select more rows, or narrow the query."
        : "Results are limited to 10,000 rows, 200,000 cells or 4 MiB. Narrow the query."}
    </p>
  );
}

interface ResultAsideProps {
  readonly answer: Answer | undefined;
  readonly isRunning: boolean;
  readonly name: string;
}

function ResultAside({ answer, isRunning, name }: ResultAsideProps) {
  const file = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").toLowerCase() || "query"}.csv`;
  return (
    <div className="sql-aside">
      <span className="muted" role="status">
        {isRunning
          ? "Running…"
          : answer && `${count(answer.rowCount, "row")} in ${toDuration(answer.durationMs)}`}
      </span>
      {answer && (
        <>
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label="Copy for spreadsheet"
            title="Copy for spreadsheet"
            onClick={() => void copyText(toTabs(answer), count(answer.rowCount, "row"))}
          >
            <Copy />
          </Button>
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label="Download CSV"
            title="Download CSV"
            onClick={() => saveFile(`\uFEFF${toCsv(answer)}`, file, "text/csv")}
          >
            <Download />
          </Button>
        </>
      )}
    </div>
  );
}
