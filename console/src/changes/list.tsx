import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useActions } from "../shell/actions.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { toSpan } from "./calendar/days.ts";
import { RiskTag } from "./change/risk.tsx";
import type { Change } from "./change/use-change.ts";
import { CHANGE_TABS, type ChangeTab, type ChangesSearch } from "./search.ts";
import { PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const SHOWN = 200;
const PAUSE_MS = 200;

const LABELS: Readonly<Record<ChangeTab, string>> = {
  open: "Open",
  waiting: "Waiting for me",
  mine: "Assigned to me",
  ended: "Closed",
};

const QUERIES = {
  open: { state: "draft,submitted,approved,rejected,implementing", sort: "plannedStart" },
  waiting: { awaitingMe: true, sort: "plannedStart" },
  mine: { mine: true, sort: "-updatedAt" },
  ended: { state: "completed,rolled_back,cancelled", sort: "-updatedAt" },
} as const;

/** A list of changes including drafts, sorted by start time. */
export function ChangeList() {
  const search = useSearch({ from: "/inside/changes" });
  const navigate = useNavigate();
  const nameOf = useNames();
  const [text, setText] = useState(search.q ?? "");
  const q = useDebounced(text.trim(), PAUSE_MS);
  const tab = search.tab ?? "open";
  const query = { ...QUERIES[tab], limit: SHOWN, ...(q !== "" && { q }) };
  const { data, error, isPending, refetch } = useOp("changes.list", { query });
  const show = (next: Partial<ChangesSearch>): void =>
    void navigate({ to: "/changes", search: { ...search, ...next }, replace: true });
  useActions([
    {
      keys: "/",
      label: "Search changes",
      run: () => document.getElementById("change-find")?.focus(),
    },
  ]);
  const columns = useMemo(() => listColumns(nameOf), [nameOf]);
  return (
    <>
      <div className="calendar-bar">
        <div className="tabs changes-tabs" role="group" aria-label="Filter">
          {CHANGE_TABS.map((one) => (
            <PlainButton key={one} aria-pressed={tab === one} onClick={() => show({ tab: one })}>
              {LABELS[one]}
            </PlainButton>
          ))}
        </div>
        <span className="grow" />
        <label className="changes-find">
          <TextInput
            id="change-find"
            type="search"
            aria-label="Search changes"
            placeholder="Search changes…"
            value={text}
            onChange={({ target }) => setText(target.value)}
            onBlur={() => show({ q: q === "" ? undefined : q })}
          />
        </label>
      </div>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {data && (
        <Table
          label="Changes"
          columns={columns}
          rows={data.data}
          keyOf={({ id }) => id}
          onOpen={({ number }) => void navigate({ to: "/changes/$id", params: { id: number } })}
          empty={<None tab={tab} isFound={q !== ""} />}
        />
      )}
      {data?.pagination.hasMore === true && (
        <p className="muted changes-cut">
          The first {SHOWN} changes are shown. Search to find others.
        </p>
      )}
    </>
  );
}

function None({ tab, isFound }: { readonly tab: ChangeTab; readonly isFound: boolean }) {
  if (isFound) return <Empty title="No changes found" />;
  if (tab === "waiting") {
    return (
      <Empty title="No changes to approve">Changes that need your approval appear here.</Empty>
    );
  }
  return (
    <Empty title="No changes">
      Press C to create a draft. Only you see it until you submit it.
    </Empty>
  );
}

type NameOf = ReturnType<typeof useNames>;

function listColumns(nameOf: NameOf): readonly Column<Change>[] {
  return [
    {
      id: "number",
      label: "Number",
      width: "112px",
      cell: ({ number }) => <span className="mono muted">{number}</span>,
    },
    {
      id: "title",
      label: "Title",
      cell: ({ title }) => <span className="changes-title">{title}</span>,
    },
    { id: "state", label: "State", width: "130px", cell: ({ state }) => <State state={state} /> },
    {
      id: "risk",
      label: "Risk",
      width: "130px",
      cell: ({ risk }) => <RiskTag level={risk.level} />,
      sortBy: ({ risk }) => risk.score,
    },
    {
      id: "when",
      label: "Planned",
      width: "210px",
      cell: ({ plannedStart, plannedEnd }) => toSpan(plannedStart, plannedEnd),
      sortBy: ({ plannedStart }) => plannedStart ?? "9",
    },
    {
      id: "agreed",
      label: "Approved",
      width: "80px",
      cell: ({ approvalsGiven, approvalsRequired }) => `${approvalsGiven} of ${approvalsRequired}`,
    },
    {
      id: "who",
      label: "Assignee",
      width: "150px",
      cell: ({ assigneeId, teamId }) => nameOf(assigneeId) ?? nameOf(teamId) ?? "–",
    },
  ];
}
