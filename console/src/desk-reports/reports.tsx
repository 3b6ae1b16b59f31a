import "./reports.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useOp } from "../data/api.ts";
import { useTeams } from "../data/names/names.ts";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { CourseChart } from "../ui/display/course-chart.tsx";
import { AgentTable } from "./agent-table.tsx";
import { AgeBars, CategoryTable, KeptBars, ServiceTable, StarBars } from "./breakdowns.tsx";
import { type Report, type Tile, toTiles } from "./figure.ts";
import { KINDS, type ReportSearch, type Span, SPANS } from "./search.ts";
import { TicketSheet } from "./ticket-sheet.tsx";
import { PlainButton } from "../ui/form/button.tsx";
import { Select } from "../ui/form/controls.tsx";

const DAY_MS = 86_400_000;
const SPAN_WORDS: Readonly<Record<Span, string>> = {
  "7": "Last 7 days",
  "30": "Last 30 days",
  "90": "Last 90 days",
  "365": "Last year",
};
const KIND_WORDS = {
  incident: "Incidents",
  request: "Requests",
  problem: "Problems",
  change: "Changes",
} as const;

/** The reports of the service desk: all figures from one request, each with a link to its tickets. */
export function DeskReports() {
  useTitle("Desk reports");
  const search = useSearch({ from: "/inside/desk/reports" });
  const navigate = useNavigate();
  const { kind = "incident", days = "30", team, rows } = search;
  // Rounded to the minute, so that the request stays the same.
  const from = useMemo(
    () => new Date(Math.floor(Date.now() / 60_000) * 60_000 - Number(days) * DAY_MS).toISOString(),
    [days],
  );
  const scope = { kind, from, ...(team !== undefined && { teamId: team }) };
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const { data, error, isPending, refetch } = useOp("desk_report.get", {
    query: { ...scope, timezone },
  });
  const show = (next: Partial<ReportSearch>, isStep = true): void =>
    void navigate({ to: "/desk/reports", search: { ...search, ...next }, replace: isStep });
  const open = (figure: string): void => show({ rows: figure }, rows !== undefined);
  return (
    <div className="page reports">
      <header className="page-head reports-head">
        <h1>Desk reports</h1>
        <ReportBar {...{ search, show }} />
      </header>
      <div className="reports-body">
        <div className="reports-scroll scroll" tabIndex={0} role="region" aria-label="Key figures">
          {error && <ErrorNotice error={error} retry={() => void refetch()} />}
          {isPending && !error && <Loading rows={12} />}
          {data && <Figures report={data.data} onOpen={open} />}
        </div>
        {rows !== undefined && (
          <TicketSheet scope={scope} figure={rows} onClose={() => show({ rows: undefined })} />
        )}
      </div>
    </div>
  );
}

interface ReportBarProps {
  readonly search: ReportSearch;
  readonly show: (next: Partial<ReportSearch>) => void;
}

function ReportBar({ search, show }: ReportBarProps) {
  const teams = useTeams();
  return (
    <>
      <Select
        aria-label="Ticket type"
        value={search.kind ?? "incident"}
        onChange={({ target }) => show({ kind: KINDS.find((one) => one === target.value) })}
      >
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {KIND_WORDS[kind]}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Period"
        value={search.days ?? "30"}
        onChange={({ target }) => show({ days: SPANS.find((one) => one === target.value) })}
      >
        {SPANS.map((span) => (
          <option key={span} value={span}>
            {SPAN_WORDS[span]}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Team"
        value={search.team ?? ""}
        onChange={({ target }) => show({ team: target.value || undefined })}
      >
        <option value="">All teams</option>
        <option value="none">No team</option>
        {teams.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </>
  );
}

export interface FiguresProps {
  readonly report: Report;
  readonly onOpen: (figure: string) => void;
}

function Figures({ report, onOpen }: FiguresProps) {
  const { course, unit } = report;
  const format = new Intl.DateTimeFormat("en-GB", {
    day: unit === "month" ? undefined : "numeric",
    month: "short",
    timeZone: "UTC",
  });
  return (
    <>
      <ul className="desk-tiles">
        {toTiles(report).map((tile) => (
          <FigureTile key={tile.id} tile={tile} onOpen={onOpen} />
        ))}
      </ul>
      <section className="report-card wide" aria-label="Created and resolved">
        <h2>Created and resolved</h2>
        <CourseChart
          label={`Created, resolved and open by ${unit}`}
          places={course.map(({ at }) => format.format(new Date(at)))}
          series={[
            { name: "Created", shape: "bar", values: course.map(({ created }) => created) },
            { name: "Resolved", shape: "bar", values: course.map(({ resolved }) => resolved) },
            { name: "Open", shape: "line", values: course.map(({ open }) => open) },
          ]}
          onPick={(n) => onOpen(`created?from=${course[n]?.from}&to=${course[n]?.to}`)}
        />
      </section>
      <div className="report-grid">
        <AgeBars {...{ report, onOpen }} />
        <KeptBars {...{ report, onOpen }} by="priority" />
        <KeptBars {...{ report, onOpen }} by="team" />
        <StarBars {...{ report, onOpen }} />
        <CategoryTable {...{ report, onOpen }} />
        <ServiceTable {...{ report, onOpen }} />
      </div>
      <AgentTable {...{ report, onOpen }} />
    </>
  );
}

function FigureTile({
  tile,
  onOpen,
}: {
  readonly tile: Tile;
  readonly onOpen: (figure: string) => void;
}) {
  return (
    <li>
      <PlainButton className="desk-tile" onClick={() => onOpen(tile.rows)}>
        <span className="tile-label">{tile.label}</span>
        <span className="tile-value">
          {tile.value}
          {tile.change !== undefined && (
            <span className={`tile-change ${tile.tone}`} title="Compared with the previous period">
              {tile.change}
            </span>
          )}
        </span>
        <span className="tile-about">{tile.about ?? "\u00a0"}</span>
      </PlainButton>
    </li>
  );
}
