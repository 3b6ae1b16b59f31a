/** The dashboard editor: edits a draft with undo and redo. Changes are invisible to others until saved. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { etagOf, type Reply, useOp } from "../../data/api.ts";
import { perform, useCommand } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { type Widget } from "../view/tile.tsx";
import { dataInput } from "../view/request.ts";
import { EditorHead } from "./editor-head.tsx";
import { EditorGrid } from "./editor-grid.tsx";
import { BarEditor } from "./bar-editor.tsx";
import { findRoom, packTiles } from "./layout.ts";
import { TileEditor } from "./tile-editor.tsx";
import { type Draft, sizeOf, useDraft } from "./draft.ts";

const NOTHING = "Nothing to undo or redo.";

type Dashboard = Reply<"dashboards.get">["data"];

export function DashboardEditor({ dashboard }: { readonly dashboard: Dashboard }) {
  const editor = useEditor(dashboard);
  const { draft, put, isChanged, steps, isBusy, chosen, widget, panel, isLeaving, saved } = editor;
  return (
    <div className="page dash">
      <EditorHead
        name={draft.name}
        onName={(next) => put({ ...draft, name: next })}
        steps={steps}
        isChanged={isChanged}
        isBusy={isBusy}
        onBar={() => editor.showPanel("bar")}
        onAdd={editor.add}
        onDelete={() => editor.setLeaving("delete")}
        onClose={editor.close}
        onSave={editor.save}
      />
      <div className="dash-body">
        <EditorGrid
          widgets={draft.widgets}
          saved={saved?.widgets ?? []}
          before={dashboard.widgets}
          period={draft.period}
          chosen={chosen}
          onChoose={editor.choose}
          onChange={(widgets) => put({ ...draft, widgets })}
        />
        {widget && panel === "tile" && (
          <TileEditor
            key={widget.id}
            widget={widget}
            onChange={editor.change}
            onRemove={() => editor.remove(widget.id)}
            onClose={() => editor.choose(undefined)}
          />
        )}
        {!widget && panel === "bar" && (
          <BarEditor draft={draft} onChange={put} onClose={() => editor.showPanel("tile")} />
        )}
      </div>
      {isLeaving && (
        <Leaving
          dashboard={dashboard}
          kind={isLeaving}
          onLeave={editor.leave}
          onStay={() => editor.setLeaving(undefined)}
        />
      )}
    </div>
  );
}

/** The draft, its selection and its actions. */
function useEditor(dashboard: Dashboard) {
  const { id } = dashboard;
  const navigate = useNavigate();
  // The ETag of the version that the draft is based on.
  const [etag] = useState(() => etagOf("dashboards.get", { params: { id } }));
  const { draft, put, isChanged, ...steps } = useDraft(toDraft(dashboard));
  const [chosen, setChosen] = useState<string>();
  const [panel, setPanel] = useState<"tile" | "bar">("tile");
  const [isLeaving, setLeaving] = useState<"close" | "delete">();
  const saved = useOp("dashboards.data", dataInput(id, {})).data?.data;
  const widget = draft.widgets.find((one) => one.id === chosen);
  const leave = (): void =>
    void navigate({ to: "/dashboards/$id", params: { id }, search: {}, replace: true });
  const update = useCommand("dashboards.update", {
    said: ({ data }) => `${data.name} saved.`,
    onDone: leave,
  });
  const save = (): void => {
    const body = { ...draft, widgets: [...draft.widgets], filters: [...draft.filters] };
    void update.run({ params: { id }, body }, etag);
  };
  const add = (kind: "report" | "text"): void => {
    const next = makeWidget(draft.widgets, kind);
    put({ ...draft, widgets: [...draft.widgets, next] });
    setChosen(next.id);
    setPanel("tile");
  };
  const change = (next: Widget): void =>
    put({ ...draft, widgets: draft.widgets.map((one) => (one.id === next.id ? next : one)) });
  const remove = (gone: string): void => {
    put({ ...draft, widgets: packTiles(draft.widgets.filter((one) => one.id !== gone)) });
    setChosen(undefined);
  };
  const close = (): void => (isChanged ? setLeaving("close") : leave());
  useActions([
    { keys: "n", label: "Add tile", run: () => add("report") },
    {
      keys: "mod+z",
      label: "Undo",
      run: steps.undo,
      disabled: steps.canUndo ? undefined : NOTHING,
    },
    {
      keys: "mod+shift+z",
      label: "Redo",
      run: steps.redo,
      disabled: steps.canRedo ? undefined : NOTHING,
    },
    { keys: "mod+s", label: "Save dashboard", run: save, always: true },
    {
      keys: "Escape",
      label: "Close editor",
      run: () => (widget ? setChosen(undefined) : close()),
    },
  ]);
  return {
    draft,
    put,
    isChanged,
    steps,
    isBusy: update.isBusy,
    chosen,
    widget,
    panel,
    isLeaving,
    saved,
    choose: (next: string | undefined): void => {
      setChosen(next);
      setPanel("tile");
    },
    showPanel: (next: "tile" | "bar"): void => {
      setPanel(next);
      setChosen(undefined);
    },
    setLeaving,
    add,
    change,
    remove,
    close,
    leave,
    save,
  };
}

interface LeavingProps {
  readonly dashboard: Dashboard;
  readonly kind: "close" | "delete";
  readonly onLeave: () => void;
  readonly onStay: () => void;
}

/** A confirmation before discarding changes or deleting the dashboard. */
function Leaving({ dashboard: { id, name }, kind, onLeave, onStay }: LeavingProps) {
  const navigate = useNavigate();
  if (kind === "close")
    return (
      <Confirm
        title="Discard changes?"
        act="Discard changes"
        keep="Continue editing"
        onAct={onLeave}
        onClose={onStay}
      >
        <p>The changes since you opened the editor are not saved.</p>
      </Confirm>
    );
  const remove = (): void =>
    void perform(
      "dashboards.delete",
      { params: { id } },
      { onDone: () => void navigate({ to: "/dashboards" }) },
    );
  return (
    <Confirm title={`Delete ${name}?`} act="Delete dashboard" onAct={remove} onClose={onStay}>
      <p>Deletes the dashboard for everyone. Its reports and KPIs are kept.</p>
    </Confirm>
  );
}

function toDraft({ name, description, widgets, filters, period }: Dashboard): Draft {
  return { name, description, widgets, filters, period };
}

function makeWidget(widgets: readonly Widget[], kind: "report" | "text"): Widget {
  const ids = new Set(widgets.map(({ id }) => id));
  const number = Array.from({ length: 200 }, (_, n) => n + 1).find((n) => !ids.has(`w${n}`)) ?? 0;
  const size = sizeOf("stat");
  const base = { id: `w${number}`, title: "", layout: findRoom(widgets, size) };
  return kind === "text"
    ? { ...base, kind, text: "Enter text here." }
    : {
        ...base,
        kind,
        report: {
          source: { kind: "events" },
          aggregates: [{ fn: "count" }],
          chart: { type: "stat" },
        },
      };
}
