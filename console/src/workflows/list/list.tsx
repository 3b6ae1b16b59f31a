import "./list.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { type Follow, useEvery } from "../../data/lists/every.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import { notify } from "../../ui/toast.tsx";
import { archive, copyAsJson, duplicate, unarchive } from "./acts.ts";
import { type DroppedFile, NO_DEFINITION, readDropped } from "./dropped-files.ts";
import { NewWorkflow } from "./new-workflow.tsx";
import { isShown, type ListSearch, sortWorkflows } from "./order.ts";
import { summariseRuns } from "./recent-runs.ts";
import type { Listed } from "./row.tsx";
import { WorkflowTable } from "./table.tsx";
import { Filters, NoWorkflow, TagFilter } from "./toolbar.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const READ_MAX = 2_000;
const PAUSE_MS = 120;
/** The events that update a workflow's row: its own, and events of its runs. */
const FOLLOW: Follow = {
  idOf({ type, resource, data }) {
    if (type.startsWith("workflow.run_")) return textOf(data["workflowId"]);
    return type.startsWith("workflow.") ? resource.id : undefined;
  },
  ask: (ids) => ({ ids: ids.join() }),
};
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
const REFUSED = "You don't have permission to edit workflows.";

/** All workflows, with their deployments, triggers and last runs. */
export function WorkflowList() {
  const search = useSearch({ from: "/inside/workflows" });
  const navigate = useNavigate();
  const may = useMay();
  const field = useRef<HTMLInputElement>(null);
  const { workflows, summaries, data, error, isPending, refetch } = useWorkflows(search);
  const show = (next: ListSearch): void =>
    void navigate({ to: "/workflows", search: { ...search, ...next }, replace: true });
  const chosen = workflows.find(({ id }) => id === search.chosen);
  useListKeys({
    ids: workflows.map(({ id }) => id),
    chosen: search.chosen,
    onChoose: (id) => show({ chosen: id }),
  });
  const refused = may("workflows.create") ? undefined : REFUSED;
  const itemsOf = useRowActs({ chosen, refused, onNew: () => show({ new: "nothing" }), field });
  const isNarrowed = [search.q, search.show, search.tag].some((one) => one !== undefined);
  const [files, setFiles] = useState<readonly DroppedFile[]>([]);
  const openFiles = async (dropped: Promise<DroppedFile[]>): Promise<void> => {
    const read = await dropped;
    if (refused !== undefined) return notify(refused);
    if (read.length === 0) return notify(NO_DEFINITION);
    setFiles(read);
    show({ new: "import" });
  };
  return (
    <div
      className="page paper"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void openFiles(readDropped(event.dataTransfer));
      }}
    >
      <header className="page-head workflow-head">
        <h1>Workflows</h1>
        <Filters show={search.show} onShow={(next) => show({ show: next })} />
        <TagFilter workflows={workflows} tag={search.tag} onTag={(tag) => show({ tag })} />
        <TextInput
          className="workflow-find"
          ref={field}
          type="search"
          placeholder="Search by name"
          aria-label="Search by name"
          value={search.q ?? ""}
          onChange={(event) =>
            show({ q: event.target.value === "" ? undefined : event.target.value })
          }
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <Button look="main" refusal={refused} onClick={() => show({ new: "nothing" })}>
          <Plus /> New <Keys keys="n" />
        </Button>
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
      {data?.isCut && (
        <p className="muted workflow-cut">
          Showing the newest {READ_MAX.toLocaleString("en")}. Search by name to find older
          workflows.
        </p>
      )}
      {search.new !== undefined && refused === undefined && (
        <NewWorkflow
          way={search.new}
          files={files}
          onWay={(way) => show({ new: way })}
          onClose={() => {
            setFiles([]);
            show({ new: undefined });
          }}
        />
      )}
    </div>
  );
}

/** Keyboard shortcuts of the list, and the actions of each row. */
function useRowActs(about: {
  readonly chosen: Listed | undefined;
  readonly refused: string | undefined;
  readonly onNew: () => void;
  readonly field: React.RefObject<HTMLInputElement | null>;
}): (workflow: Listed) => readonly MenuItem[] {
  const { chosen, refused, onNew, field } = about;
  const navigate = useNavigate();
  const open = (id: string | undefined): void => {
    if (id !== undefined) void navigate({ to: "/workflows/$id", params: { id } });
  };
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
          label: "Restore",
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
  const noneChosen = chosen ? undefined : "Select a workflow first, with J and K.";
  useActions([
    { keys: "n", label: "New workflow", run: onNew, disabled: refused },
    { keys: "f", label: "Search workflows", run: () => field.current?.focus() },
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
  return itemsOf;
}

/** The workflows for the current filters: searched on the server, filtered and sorted here. */
function useWorkflows({ q, show, tag, sort }: ListSearch) {
  const text = useDebounced(q, PAUSE_MS);
  const query = {
    activity: true,
    ...(text !== undefined && { q: text }),
    ...(tag !== undefined && { tag }),
    ...(show === "archived" && { status: "archived" as const }),
  };
  const list = useEvery("workflows.list", query, { max: READ_MAX, follow: FOLLOW });
  const summaries = useMemo(() => summariseRuns(list.data?.items ?? []), [list.data]);
  const workflows = useMemo(() => {
    const shown = (list.data?.items ?? []).filter((one) => isShown(one, show, summaries));
    return sortWorkflows(shown, sort ?? "name", summaries);
  }, [list.data, show, sort, summaries]);
  return { ...list, workflows, summaries };
}
