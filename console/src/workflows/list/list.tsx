import "./list.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, Plus } from "lucide-react";
import { useDeferredValue, useMemo, useRef } from "react";
import { useOp } from "../../data/api.ts";
import { useMay, useNames } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import type { MenuItem } from "../../ui/menu.tsx";
import { useNow } from "../../ui/time.tsx";
import { toWords } from "../../ui/words.ts";
import { archive, copyAsJson, duplicate, unarchive } from "./acts.ts";
import { NewWorkflow } from "./new-workflow.tsx";
import {
  type Filter,
  FILTERS,
  isShown,
  type ListSearch,
  type Sort,
  sortWorkflows,
} from "./order.ts";
import { summariseRuns } from "./recent-runs.ts";
import { type Listed, WorkflowRow } from "./row.tsx";

const PAGE = 200;
const MINUTE_MS = 60_000;
const REFUSED = "You may read workflows, and not change them.";

/** Every workflow: where it is live, what starts it, and how its last runs went. */
export function WorkflowList() {
  const search = useSearch({ from: "/inside/workflows" });
  const navigate = useNavigate();
  const may = useMay();
  const field = useRef<HTMLInputElement>(null);
  const { workflows, summaries, error, isPending, refetch } = useWorkflows(search);
  const show = (next: ListSearch): void =>
    void navigate({ to: "/workflows", search: { ...search, ...next }, replace: true });
  const chosen = workflows.find(({ id }) => id === search.chosen);
  useListKeys({
    ids: workflows.map(({ id }) => id),
    chosen: search.chosen,
    onChoose(id) {
      show({ chosen: id });
      if (id !== undefined)
        document.getElementById(`row-${id}`)?.scrollIntoView({ block: "nearest" });
    },
  });
  const open = (id: string | undefined): void => {
    if (id !== undefined) void navigate({ to: "/workflows/$id", params: { id } });
  };
  const refused = may("workflows:write") ? undefined : REFUSED;
  const itemsOf = (workflow: Listed): readonly MenuItem[] => [
    { label: "Open", onPick: () => open(workflow.id) },
    {
      label: "Duplicate",
      keys: "d",
      disabled: refused,
      onPick: () => void duplicate(workflow).then(open),
    },
    { label: "Copy as JSON", onPick: () => void copyAsJson(workflow) },
    workflow.status === "archived"
      ? {
          label: "Bring it back",
          disabled: refused,
          isApart: true,
          onPick: () => void unarchive(workflow),
        }
      : {
          label: "Archive",
          disabled: refused,
          isApart: true,
          onPick: () => void archive(workflow),
        },
  ];
  const noneChosen = chosen ? undefined : "Choose one first, with J and K.";
  useActions([
    { keys: "n", label: "New workflow", run: () => show({ new: "nothing" }), disabled: refused },
    { keys: "f", label: "Find a workflow", run: () => field.current?.focus() },
    {
      keys: "Enter",
      label: "Open",
      run: () => open(chosen?.id),
      disabled: noneChosen,
      hidden: true,
    },
    {
      keys: "d",
      label: "Duplicate",
      run: () => chosen && void duplicate(chosen).then(open),
      disabled: refused ?? noneChosen,
    },
  ]);
  const isNarrowed = search.q !== undefined || search.show !== undefined;
  return (
    <div className="page">
      <header className="page-head workflow-head">
        <h1>Workflows</h1>
        <Filters show={search.show} onShow={(next) => show({ show: next })} />
        <input
          ref={field}
          type="search"
          className="field workflow-find"
          placeholder="Find by name"
          aria-label="Find by name"
          value={search.q ?? ""}
          onChange={(event) =>
            show({ q: event.target.value === "" ? undefined : event.target.value })
          }
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <button
          className="btn main"
          disabled={refused !== undefined}
          title={refused}
          onClick={() => show({ new: "nothing" })}
        >
          <Plus /> New <Keys keys="n" />
        </button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {!isPending && !error && workflows.length === 0 && (
        <NoWorkflow isNarrowed={isNarrowed} refused={refused} onShow={show} />
      )}
      {workflows.length > 0 && (
        <WorkflowTable
          workflows={workflows}
          summaries={summaries}
          sort={search.sort ?? "name"}
          chosen={search.chosen}
          itemsOf={itemsOf}
          onSort={(sort) => show({ sort })}
        />
      )}
      {search.new !== undefined && refused === undefined && (
        <NewWorkflow
          way={search.new}
          onWay={(way) => show({ new: way })}
          onClose={() => show({ new: undefined })}
        />
      )}
    </div>
  );
}

/** The workflows of an address: found by the server, narrowed and ordered here. */
function useWorkflows({ q, show, sort }: ListSearch) {
  const text = useDeferredValue(q);
  const list = useOp("workflows.list", {
    query: {
      limit: PAGE,
      ...(text !== undefined && { q: text }),
      ...(show === "archived" && { status: "archived" as const }),
    },
  });
  const runs = useOp("runs.list", { query: { limit: PAGE } }).data;
  const minute = Math.floor(useNow() / MINUTE_MS);
  const summaries = useMemo(
    () => summariseRuns(runs?.data ?? [], minute * MINUTE_MS),
    [runs, minute],
  );
  const workflows = useMemo(() => {
    const shown = (list.data?.data ?? []).filter((one) => isShown(one, show, summaries));
    return sortWorkflows(shown, sort ?? "name", summaries);
  }, [list.data, show, sort, summaries]);
  return { ...list, workflows, summaries };
}

function Filters(props: {
  readonly show: Filter | undefined;
  readonly onShow: (show: Filter | undefined) => void;
}) {
  return (
    <div className="tabs grow" role="group" aria-label="Which">
      <button aria-pressed={props.show === undefined} onClick={() => props.onShow(undefined)}>
        All
      </button>
      {FILTERS.map((filter) => (
        <button
          key={filter}
          aria-pressed={props.show === filter}
          onClick={() => props.onShow(filter)}
        >
          {toWords(filter)}
        </button>
      ))}
    </div>
  );
}

function NoWorkflow(props: {
  readonly isNarrowed: boolean;
  readonly refused: string | undefined;
  readonly onShow: (search: ListSearch) => void;
}) {
  if (props.isNarrowed) {
    return (
      <Empty
        title="None is like that"
        action={
          <button className="btn" onClick={() => props.onShow({ q: undefined, show: undefined })}>
            Show all
          </button>
        }
      />
    );
  }
  return (
    <Empty
      title="No workflow yet"
      action={
        props.refused === undefined && (
          <button className="btn main" onClick={() => props.onShow({ new: "example" })}>
            Begin with an example
          </button>
        )
      }
    >
      A workflow is steps that run by themselves: by hand, by the clock, on an event, or over HTTP.
    </Empty>
  );
}

const COLUMNS: readonly (readonly [string, Sort | undefined, boolean])[] = [
  ["Name", "name", false],
  ["Live in", undefined, false],
  ["Starts", undefined, true],
  ["Last runs", undefined, false],
  ["Failed in a day", "failures", true],
  ["Ran", "runs", true],
  ["Changed", "changed", true],
];

function WorkflowTable(props: {
  readonly workflows: readonly Listed[];
  readonly summaries: ReturnType<typeof summariseRuns>;
  readonly sort: string;
  readonly chosen: string | undefined;
  readonly itemsOf: (workflow: Listed) => readonly MenuItem[];
  readonly onSort: (sort: string) => void;
}) {
  const nameOf = useNames();
  return (
    <div className="scroll workflow-scroll">
      <table className="workflow-table">
        <thead>
          <tr>
            {COLUMNS.map(([label, by, isWide]) => (
              <Column
                key={label}
                label={label}
                by={by}
                isWide={isWide}
                sort={props.sort}
                onSort={props.onSort}
              />
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {props.workflows.map((workflow) => (
            <WorkflowRow
              key={workflow.id}
              workflow={workflow}
              summary={props.summaries.get(workflow.id)}
              author={nameOf(workflow.createdBy)}
              isChosen={workflow.id === props.chosen}
              items={props.itemsOf(workflow)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Column(props: {
  readonly label: string;
  readonly by: Sort | undefined;
  readonly isWide: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const { label, by, sort } = props;
  const isBy = by !== undefined && sort.replace("-", "") === by;
  const isReverse = sort.startsWith("-");
  return (
    <th
      scope="col"
      className={props.isWide ? "wide-cell" : undefined}
      aria-sort={isBy ? (isReverse ? "descending" : "ascending") : undefined}
    >
      {by === undefined ? (
        label
      ) : (
        <button onClick={() => props.onSort(isBy && !isReverse ? `-${by}` : by)}>
          {label}
          {isBy && (isReverse ? <ArrowUp className="ico" /> : <ArrowDown className="ico" />)}
        </button>
      )}
    </th>
  );
}
