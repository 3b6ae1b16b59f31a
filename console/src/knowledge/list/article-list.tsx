import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { Verdict } from "../article/verdict.tsx";
import type { KnowledgeSearch } from "../search.ts";

type Entry = Schemas["ListedArticleEntry"];

const SHOWN = 200;

/** All articles in a state, last changed first. */
export function ArticleList(props: {
  readonly state: KnowledgeSearch["state"];
  readonly mayWrite: boolean;
}) {
  const { state, mayWrite } = props;
  const navigate = useNavigate();
  const nameOf = useNames();
  const dueBefore = useMemo(() => new Date().toISOString(), []);
  const due = {
    state: "published",
    sort: "reviewDueAt",
    filter: JSON.stringify({ reviewDueAt: { lt: dueBefore } }),
  } as const;
  const { data, error, isPending, refetch } = useOp("knowledge.list", {
    query: { limit: SHOWN, ...(state === "due" ? due : state && { state }) },
  });
  const columns = useMemo(() => listColumns(nameOf, mayWrite), [nameOf, mayWrite]);
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={10} />;
  return (
    <Table
      label="Articles"
      columns={columns}
      rows={data.data}
      keyOf={({ id }) => id}
      onOpen={({ number }) => void navigate({ to: "/knowledge/$id", params: { id: number } })}
      empty={
        <Empty
          title={state === undefined ? "No articles yet" : "No articles in this state"}
          action={
            mayWrite &&
            state === undefined && (
              <Link className="btn" to="/knowledge/new">
                Create article
              </Link>
            )
          }
        >
          An article answers a question before it becomes a ticket.
        </Empty>
      }
    />
  );
}

function listColumns(
  nameOf: ReturnType<typeof useNames>,
  mayWrite: boolean,
): readonly Column<Entry>[] {
  const known: readonly Column<Entry>[] = [
    {
      id: "number",
      label: "Number",
      width: "108px",
      cell: ({ number }) => <span className="mono muted">{number}</span>,
    },
    {
      id: "title",
      label: "Title",
      cell: ({ title, visibility }) => (
        <span className="kb-title">
          <span className="cut">{title}</span>
          {visibility === "agents" && <span className="kb-inside">internal</span>}
        </span>
      ),
      sortBy: ({ title }) => title,
    },
    { id: "category", label: "Category", width: "130px", cell: ({ category }) => category ?? "–" },
  ];
  const age: Column<Entry> = {
    id: "age",
    label: "Updated",
    width: "90px",
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
    sortBy: ({ updatedAt }) => updatedAt,
  };
  const verdict: Column<Entry> = {
    id: "verdict",
    label: "Helpful",
    width: "110px",
    cell: (entry) => <Verdict entry={entry} />,
    sortBy: ({ helpfulCount, unhelpfulCount }) => helpfulCount - unhelpfulCount,
  };
  if (!mayWrite) return [...known, verdict, age];
  return [
    ...known,
    { id: "state", label: "State", width: "110px", cell: ({ state }) => <State state={state} /> },
    {
      id: "owner",
      label: "Owner",
      width: "150px",
      cell: ({ authorId }) => (
        <span className="kb-owner">
          <Avatar name={nameOf(authorId)} />
          <span className="cut">{nameOf(authorId) ?? "Former member"}</span>
        </span>
      ),
      sortBy: ({ authorId }) => nameOf(authorId) ?? "",
    },
    verdict,
    age,
  ];
}
