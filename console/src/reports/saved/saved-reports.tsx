import "../../ui/display/shelf.css";
import { type ReportAnswer, toFigure } from "@millrace/client/chart";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Mail } from "lucide-react";
import { useState } from "react";
import { type Drill, FigureView, RowsSheet } from "../../analytics/index.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Report = Schemas["ListedReport"];

/** Saved reports, with the current result of the open one. */
export function SavedReports() {
  const { report: chosen } = useSearch({ from: "/inside/reports" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("reports.list", { query: { limit: 200 } });
  const may = useMay();
  const reports = data?.data ?? [];
  const open = (id: string | undefined): void =>
    void navigate({ to: "/reports", search: { report: id } });
  useListKeys({ ids: reports.map(({ id }) => id), chosen, onChoose: open });
  const report = reports.find(({ id }) => id === chosen);
  return (
    <div className={`shelf${report === undefined ? "" : " has-open"}`}>
      <section className="shelf-list scroll" aria-label="Saved reports" tabIndex={0}>
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={6} />}
        {data && reports.length === 0 && (
          <Empty
            title="No saved reports yet"
            action={
              may("reports.list") && (
                <Link to="/dashboards" className="btn main">
                  Open dashboards
                </Link>
              )
            }
          >
            To save a report, open a tile of a dashboard and save it.
          </Empty>
        )}
        <ul>
          {reports.map((one) => (
            <li key={one.id}>
              <PlainButton
                className="shelf-line"
                aria-current={one.id === chosen ? "true" : undefined}
                onClick={() => open(one.id)}
              >
                <span className="grow">
                  <span className="shelf-name cut">{one.name}</span>
                  <span className="shelf-about cut">{one.description || sourceWords(one)}</span>
                </span>
              </PlainButton>
            </li>
          ))}
        </ul>
      </section>
      {report ? (
        <OpenReport key={report.id} report={report} onBack={() => open(undefined)} />
      ) : (
        <p className="shelf-none muted">{reports.length > 0 && "Open one."}</p>
      )}
    </div>
  );
}

function sourceWords({ source, groupBy }: Report): string {
  const { kind, table, entity } = source as { kind: string; table?: string; entity?: string };
  const what = table ?? entity ?? kind;
  return groupBy.length === 0 ? what : `${what} by ${groupBy.join(", ")}`;
}

interface OpenReportProps {
  readonly report: Report;
  readonly onBack: () => void;
}

function OpenReport({ report, onBack }: OpenReportProps) {
  const navigate = useNavigate();
  const may = useMay();
  const nameOf = useNames();
  const [drill, setDrill] = useState<Drill>();
  const { data, error, refetch } = useOp("reports.run", { params: { id: report.id }, query: {} });
  const mayWrite = may("kpis.create");
  const draft = toDraft(report);
  const send = (): void =>
    void navigate({
      to: "/reports",
      search: { tab: "mail", open: "new", report: report.id },
    });
  return (
    <div className="shelf-open scroll" tabIndex={0} role="region" aria-label={report.name}>
      <Button look="bare" className="shelf-back" onClick={onBack}>
        Saved reports
      </Button>
      <header className="report-head">
        <h2 className="grow">{report.name}</h2>
        <Button
          disabled={!mayWrite}
          title={mayWrite ? undefined : "You don't have permission to send reports."}
          onClick={send}
        >
          <Mail /> Schedule e-mail
        </Button>
      </header>
      {report.description !== "" && <p className="muted">{report.description}</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={5} />}
      {data && (
        <div className="report-figure">
          <FigureView
            figure={toFigure(data.data as ReportAnswer, draft, nameOf)}
            nameOf={nameOf}
            label={report.name}
            onPick={(mark) => setDrill({ title: report.name, report: draft, bar: undefined, mark })}
          />
        </div>
      )}
      {drill && <RowsSheet drill={drill} onClose={() => setDrill(undefined)} />}
    </div>
  );
}

/** Converts a report to a draft, without empty parts. */
function toDraft(report: Report): Drill["report"] {
  const {
    id: _,
    name: __,
    description: ___,
    createdBy: ____,
    createdAt,
    updatedAt,
    revision,
    ...parts
  } = report;
  void [createdAt, updatedAt, revision];
  const entries = Object.entries(parts).filter(([, value]) => value !== null);
  // Only optional parts are null.
  return Object.fromEntries(entries) as unknown as Drill["report"];
}
