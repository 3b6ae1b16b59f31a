import "./problems.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useActions } from "../shell/actions.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

type Problem = Schemas["Problem"];

const SHOWN = 200;
const PAUSE_MS = 200;

/** Problems, with a tab for known errors and their workarounds. */
export function Problems() {
  const { tab } = useSearch({ from: "/inside/problems" });
  const navigate = useNavigate();
  const nameOf = useNames();
  const [text, setText] = useState("");
  const q = useDebounced(text.trim(), PAUSE_MS);
  const isKnown = tab === "known";
  const query = { limit: SHOWN, sort: "-updatedAt", ...(q !== "" && { q }) };
  const all = useOp("problems.list", { query }, { enabled: !isKnown });
  const known = useOp("problems.list_known_errors", { query }, { enabled: isKnown });
  const read = isKnown ? known : all;
  const columns = useMemo(() => listColumns(nameOf, isKnown), [nameOf, isKnown]);
  const show = (next: "known" | undefined): void =>
    void navigate({ to: "/problems", search: { tab: next }, replace: true });
  useActions([
    {
      keys: "l",
      label: isKnown ? "Show all problems" : "Show known errors",
      run: () => show(isKnown ? undefined : "known"),
    },
  ]);
  return (
    <ListPage
      title="Problems"
      about="A problem is the cause of one or more incidents. Its workaround is shown on all linked incidents."
      thing={isKnown ? "known error" : "problem"}
      read={read}
      shown={read.data?.data.length ?? 0}
      which={{
        options: [
          { id: "all", label: "All" },
          { id: "known", label: "Known errors" },
        ],
        chosen: tab ?? "all",
        onChoose: (next) => show(next === "known" ? next : undefined),
      }}
      find={{ value: text, onChange: setText, by: "titles, causes and workarounds" }}
      empty="Create a problem when several incidents have the same cause, for example a faulty printer driver."
    >
      <Table
        label={isKnown ? "Known errors" : "Problems"}
        columns={columns}
        rows={read.data?.data ?? []}
        keyOf={({ id }) => id}
        onOpen={({ number }) => void navigate({ to: "/problems/$id", params: { id: number } })}
      />
    </ListPage>
  );
}

function listColumns(
  nameOf: ReturnType<typeof useNames>,
  isKnown: boolean,
): readonly Column<Problem>[] {
  const identity: readonly Column<Problem>[] = [
    {
      id: "number",
      label: "Number",
      width: "112px",
      cell: ({ number }) => <span className="mono muted">{number}</span>,
    },
    {
      id: "title",
      label: "Title",
      cell: ({ title }) => <span className="problems-title">{title}</span>,
    },
  ];
  if (isKnown) {
    return [
      ...identity,
      { id: "cause", label: "Cause", cell: ({ rootCause }) => rootCause ?? "–" },
      { id: "workaround", label: "Workaround", cell: ({ workaround }) => workaround ?? "–" },
    ];
  }
  return [
    ...identity,
    { id: "state", label: "State", width: "140px", cell: ({ state }) => <State state={state} /> },
    {
      id: "priority",
      label: "Priority",
      width: "80px",
      cell: ({ priority }) => priority,
      sortBy: ({ priority }) => priority,
    },
    {
      id: "who",
      label: "Assignee",
      width: "160px",
      cell: ({ assigneeId, teamId }) => nameOf(assigneeId) ?? nameOf(teamId) ?? "–",
    },
    {
      id: "changed",
      label: "Updated",
      width: "90px",
      cell: ({ updatedAt }) => <Ago at={updatedAt} />,
      sortBy: ({ updatedAt }) => updatedAt,
    },
  ];
}
