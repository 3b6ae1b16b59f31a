import { Avatar } from "../ui/avatar.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { type Report, toSpanWords } from "./figure.ts";
import { PlainButton } from "../ui/form/button.tsx";

type Agent = Report["agents"][number];

interface AgentTableProps {
  readonly report: Report;
  readonly onOpen: (figure: string) => void;
}

/** Tickets by agent: open, resolved in the period, and resolution times. */
export function AgentTable({ report, onOpen }: AgentTableProps) {
  const figure = (agent: Agent, name: "open" | "resolved" | "rated", words: string) => (
    <PlainButton
      className="figure-link"
      onClick={() => onOpen(`${name}?assigneeId=${agent.id ?? "none"}`)}
    >
      {words}
    </PlainButton>
  );
  const columns: readonly Column<Agent>[] = [
    {
      id: "name",
      label: "Agent",
      cell: ({ id, name }) => (
        <span className="row agent-name">
          <Avatar name={name ?? undefined} />
          {id === null ? "Unassigned" : (name ?? "Former member")}
        </span>
      ),
    },
    {
      id: "open",
      label: "Open",
      isNumber: true,
      cell: (one) => figure(one, "open", `${one.open}`),
    },
    {
      id: "resolved",
      label: "Resolved",
      isNumber: true,
      cell: (one) => figure(one, "resolved", `${one.resolved}`),
    },
    {
      id: "time",
      label: "Resolution",
      isNumber: true,
      cell: ({ resolutionMedian }) => toSpanWords(resolutionMedian),
    },
    {
      id: "stars",
      label: "Satisfaction",
      isNumber: true,
      cell: (one) =>
        one.satisfaction === null
          ? "–"
          : figure(one, "rated", `${one.satisfaction.toFixed(1)} (${one.ratings})`),
    },
  ];
  if (report.agents.length === 0) return null;
  return (
    <section className="report-card wide" aria-label="Tickets by agent">
      <h2>Tickets by agent</h2>
      <Table
        label="Agents"
        columns={columns}
        rows={report.agents}
        keyOf={({ id }) => id ?? "none"}
      />
    </section>
  );
}
