import "./problems.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useActions } from "../shell/actions.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

type Problem = Schemas["Problem"];

const SHOWN = 200;
const PAUSE_MS = 200;

/** What causes incidents: all of it, and the known errors with how to get by. */
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
  const { data, error, isPending, refetch } = isKnown ? known : all;
  const columns = useMemo(() => listColumns(nameOf, isKnown), [nameOf, isKnown]);
  const show = (next: "known" | undefined): void =>
    void navigate({ to: "/problems", search: { tab: next }, replace: true });
  useActions([
    {
      keys: "/",
      label: "Find a problem",
      run: () => document.getElementById("problem-find")?.focus(),
    },
    {
      keys: "l",
      label: isKnown ? "Show all problems" : "Show known errors",
      run: () => show(isKnown ? undefined : "known"),
    },
  ]);
  return (
    <div className="page paper">
      <header className="page-head">
        <h1>Problems</h1>
        <div className="tabs" role="group" aria-label="Which">
          <PlainButton aria-pressed={!isKnown} onClick={() => show(undefined)}>
            All
          </PlainButton>
          <PlainButton aria-pressed={isKnown} onClick={() => show("known")}>
            Known errors
          </PlainButton>
        </div>
        <span className="grow" />
        <label className="problems-find">
          <TextInput
            id="problem-find"
            type="search"
            aria-label="Find a problem"
            placeholder="Find…"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {data && (
        <Table
          label={isKnown ? "Known errors" : "Problems"}
          columns={columns}
          rows={data.data}
          keyOf={({ id }) => id}
          onOpen={({ number }) => void navigate({ to: "/problems/$id", params: { id: number } })}
          empty={
            <Empty title={q === "" ? "Nothing here" : "Nothing has these words"}>
              A problem is what causes incidents; its workaround stands on all of them.
            </Empty>
          }
        />
      )}
    </div>
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
      label: "Changed",
      width: "90px",
      cell: ({ updatedAt }) => <Ago at={updatedAt} />,
      sortBy: ({ updatedAt }) => updatedAt,
    },
  ];
}
