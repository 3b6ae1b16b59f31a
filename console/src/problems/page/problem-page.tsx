import "../problems.css";
import "./problem-page.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { TicketLinks } from "../../data/tickets/ticket-links.tsx";
import { TicketPanel } from "../../desk/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Facts, Split, Text } from "../../ui/layout/layout.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Findings } from "./findings.tsx";
import { History } from "./history.tsx";
import { IncidentList } from "./incident-list.tsx";
import { KnownError } from "./known-error.tsx";
import type { Problem } from "./problem.ts";
import { toDay } from "../../ui/words.ts";

const TABS = [
  { id: "analysis", label: "Analysis" },
  { id: "talk", label: "Conversation" },
] as const;

/** The page of a problem: cause, workaround, incidents and articles. */
export function ProblemPage() {
  const { id } = useParams({ from: "/inside/problems/$id" });
  const input = { params: { id } };
  const { data, error, isPending, refetch } = useOp("problems.get", input);
  const problem = data?.data;
  useTitle(problem && `${problem.number} ${problem.title}`);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {problem && (problem.id === id || problem.number === id) && (
        <ProblemSheet problem={problem} id={id} />
      )}
    </div>
  );
}

interface SheetProps {
  readonly problem: Problem;
  /** The id or number from the address. */
  readonly id: string;
}

function ProblemSheet({ problem, id }: SheetProps) {
  const { tab = "analysis" } = useSearch({ from: "/inside/problems/$id" });
  const navigate = useNavigate();
  const choose = (next: "analysis" | "talk"): void =>
    void navigate({
      to: "/problems/$id",
      params: { id: problem.number },
      search: { tab: next === "talk" ? next : undefined },
      replace: true,
    });
  useActions([
    {
      keys: "l",
      label: tab === "talk" ? "Show analysis" : "Show conversation",
      run: () => choose(tab === "talk" ? "analysis" : "talk"),
    },
  ]);
  return (
    <>
      <header className="page-head problem-head">
        <Link className="btn bare icon" aria-label="Problems" to="/problems">
          <ArrowLeft />
        </Link>
        <span className="mono muted">{problem.number}</span>
        <State state={problem.state} />
        <span className="tag idle">P{problem.priority}</span>
      </header>
      <Tabs label="Problem" tabs={TABS} chosen={tab} onChoose={choose} className="problem-tabs">
        {tab === "talk" ? (
          <div className="ticket-page">
            <TicketPanel kind="problem" number={problem.number} />
          </div>
        ) : (
          <Analysis problem={problem} id={id} />
        )}
      </Tabs>
    </>
  );
}

function Analysis({ problem, id }: SheetProps) {
  const nameOf = useNames();
  const refusal = useRefusal("problems.link_incidents");
  return (
    <Split
      aria-label={problem.title}
      sideLabel="Details"
      side={
        <>
          <KnownError problem={problem} />
          <section aria-label="Details">
            <h2>Details</h2>
            <Facts
              facts={[
                ["Assignee", nameOf(problem.assigneeId) ?? "Unassigned"],
                ["Team", nameOf(problem.teamId) ?? "–"],
                ["Created", toDay(problem.createdAt)],
                ...(problem.resolution === null
                  ? []
                  : [["Resolution", problem.resolution] as const]),
              ]}
            />
          </section>
          <TicketLinks ticket={{ kind: "problem", id: problem.id, number: problem.number }} />
          <Items ids={problem.ciIds} />
        </>
      }
    >
      <Text as="h1" size="xl" flow="break">
        {problem.title}
      </Text>
      {problem.description !== "" && <Text flow="kept">{problem.description}</Text>}
      <Findings key={problem.id} problem={problem} id={id} />
      <IncidentList problem={problem} refusal={refusal} />
      <History number={problem.number} />
    </Split>
  );
}

function Items({ ids }: { readonly ids: readonly string[] }) {
  return (
    <section aria-label="Configuration items">
      <h2>Configuration items</h2>
      {ids.length === 0 && <p className="muted">No configuration items.</p>}
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <ItemLink id={id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ItemLink({ id }: { readonly id: string }) {
  const may = useMay();
  const input = { params: { id } };
  const item = useOp("cmdb.get_item", input, { enabled: may("cmdb.get_item") }).data?.data;
  return (
    <Link to="/services/$id" params={{ id }} className="problem-line">
      {item?.id === id ? item.name : "…"}
    </Link>
  );
}
