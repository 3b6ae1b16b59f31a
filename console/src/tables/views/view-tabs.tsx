import {
  CalendarDays,
  ClipboardList,
  Kanban,
  Plus,
  RotateCcw,
  Save,
  Table2,
  Users,
} from "lucide-react";
import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { call, type Input } from "../../data/api.ts";
import { useMay, useMe, useRefusals } from "../../data/people.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import type { GridColumn } from "../column/column.ts";
import {} from "../column/column.ts";
import { type Layout, layoutOf, type SavedView, type ViewKind } from "./layout.ts";
import type { LayoutState } from "./use-layout.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";

const ICONS = { grid: Table2, board: Kanban, calendar: CalendarDays, form: ClipboardList };

interface ViewTabsProps {
  readonly slug: string;
  readonly state: LayoutState;
  readonly columns: readonly GridColumn[];
}

/** The views of a table: everyone's and one's own, and what was changed about the one that is open. */
export function ViewTabs({ slug, state, columns }: ViewTabsProps) {
  const { views, view, isChanged, search, show } = state;
  const [isNew, setNew] = useState(false);
  const open = (id: string | undefined): void =>
    show({ view: id, filter: undefined, sort: undefined, group: undefined });
  return (
    <div className="view-bar">
      <div className="view-tabs scroll" role="tablist" aria-label="Views">
        <PlainButton
          role="tab"
          aria-selected={search.view === undefined}
          onClick={() => open(undefined)}
        >
          <Table2 className="ico" /> All records
        </PlainButton>
        {views.map(({ id, name, kind, shared }) => {
          const Icon = ICONS[kind];
          return (
            <PlainButton
              key={id}
              role="tab"
              aria-selected={id === search.view}
              onClick={() => open(id)}
            >
              <Icon className="ico" /> <span className="cut">{name}</span>
              {shared && <Users className="ico muted" aria-label="Shared" />}
            </PlainButton>
          );
        })}
      </div>
      <Button
        look="bare"
        isIcon
        aria-label="Save a new view"
        title="Save a new view"
        onClick={() => setNew(true)}
      >
        <Plus />
      </Button>
      {view && <ViewMenu view={view} onGone={() => open(undefined)} />}
      <span className="grow" />
      {isChanged && <ChangedView state={state} onNew={() => setNew(true)} />}
      {isNew && (
        <NewView
          {...{ slug, columns }}
          layout={state.layout}
          onClose={() => setNew(false)}
          onMade={(id) => {
            setNew(false);
            state.reset();
            open(id);
          }}
        />
      )}
    </div>
  );
}

function ChangedView(props: { readonly state: LayoutState; readonly onNew: () => void }) {
  const { view, layout, reset } = props.state;
  const me = useMe()?.user.id;
  const mayManage = useMay()("tables.create");
  const isOwn = view !== undefined && (view.createdBy === me || mayManage);
  const save = async (): Promise<void> => {
    if (!view) return;
    try {
      await call("table_views.update", { params: { id: view.id }, body: layoutOf(layout) });
      reset();
      notify(`The view ${view.name} is saved.`);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <span className="view-changed">
      <Button look="bare" onClick={reset} title="Show it as it was saved">
        <RotateCcw /> <span className="wide-only">Reset</span>
      </Button>
      {isOwn ? (
        <Button onClick={() => void save()}>
          <Save /> <span className="wide-only">Save view</span>
        </Button>
      ) : (
        <Button onClick={props.onNew}>
          <Save /> <span className="wide-only">Save as view…</span>
        </Button>
      )}
    </span>
  );
}

function ViewMenu({ view, onGone }: { readonly view: SavedView; readonly onGone: () => void }) {
  const me = useMe()?.user.id;
  const may = useMay();
  const refusalOf = useRefusals();
  const update = useMutation({
    mutationFn: (input: Input<"table_views.update">) => call("table_views.update", input),
  });
  const isOwn = view.createdBy === me || may("tables.create");
  const foreign = isOwn ? undefined : "Only who made a view changes it.";
  const remove = async (): Promise<void> => {
    const { id, name, table, shared, position } = view;
    await call("table_views.delete", { params: { id } }).catch(notifyError);
    onGone();
    notify(`The view ${name} is deleted.`, () => {
      const body = { ...layoutOf(view), name, table, shared, position };
      void call("table_views.create", { body }).catch(notifyError);
    });
  };
  return (
    <Menu
      label={`View ${view.name}`}
      items={[
        {
          label: view.shared ? "Only for me" : "Share with everyone",
          icon: <Users className="ico" />,
          disabled: foreign ?? refusalOf("records.create"),
          onPick: () =>
            update.mutate(
              { params: { id: view.id }, body: { shared: !view.shared } },
              { onError: notifyError },
            ),
        },
        {
          label: "Delete the view",
          isDangerous: true,
          isApart: true,
          disabled: foreign,
          onPick: () => void remove(),
        },
      ]}
    >
      …
    </Menu>
  );
}

interface NewViewProps {
  readonly slug: string;
  readonly columns: readonly GridColumn[];
  readonly layout: Layout;
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}

function NewView({ slug, columns, layout, onClose, onMade }: NewViewProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<ViewKind>("grid");
  const [by, setBy] = useState<string>();
  const [shared, setShared] = useState(false);
  const create = useMutation({
    mutationFn: (input: Input<"table_views.create">) => call("table_views.create", input),
  });
  const choices = columns.filter(({ type }) =>
    kind === "board" ? type === "enum" : DATES.has(type),
  );
  const field = by ?? choices[0]?.name;
  const submit = (): void => {
    const body = {
      ...layoutOf({
        ...layout,
        kind,
        groupBy: kind === "board" ? (field ?? null) : kind === "grid" ? layout.groupBy : null,
        dateField: kind === "calendar" ? (field ?? null) : null,
      }),
      name,
      table: slug,
      shared,
    };
    create.mutate({ body }, { onSuccess: ({ data }) => onMade(data.id), onError: notifyError });
  };
  const isReady = name.trim() !== "" && (kind === "grid" || kind === "form" || field !== undefined);
  return (
    <Dialog
      title="Save a view"
      onClose={onClose}
      onSubmit={() => isReady && submit()}
      footer={
        <Button look="main" type="submit" disabled={!isReady || create.isPending}>
          Save
        </Button>
      }
    >
      <Field label="Name">
        {(control) => (
          <TextInput
            {...control}
            value={name}
            maxLength={100}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Shown as">
        {(control) => (
          <Select
            {...control}
            value={kind}
            onChange={({ target }) => setKind(target.value as ViewKind)}
          >
            <option value="grid">Grid</option>
            <option value="board">Board, by a choice</option>
            <option value="calendar">Calendar, by a date</option>
            <option value="form">Form, to be filled in</option>
          </Select>
        )}
      </Field>
      {(kind === "board" || kind === "calendar") && (
        <Field
          label={kind === "board" ? "Stacks by" : "Days by"}
          error={choices.length === 0 ? "This table has no such column yet." : undefined}
        >
          {(control) => (
            <Select {...control} value={field ?? ""} onChange={({ target }) => setBy(target.value)}>
              {choices.map((column) => (
                <option key={column.name} value={column.name}>
                  {column.title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <ShareCheck shared={shared} onChange={setShared} />
      <p className="muted">
        It keeps the filter, order, groups and columns as they are now. Whoever opens it sees the
        records that they may see, and no others.
      </p>
    </Dialog>
  );
}

const DATES = new Set(["date", "timestamp"]);

function ShareCheck(props: {
  readonly shared: boolean;
  readonly onChange: (shared: boolean) => void;
}) {
  const mayShare = useMay()("records.create");
  return (
    <label className="check-line">
      <CheckBox
        checked={props.shared}
        disabled={!mayShare}
        onChange={({ target }) => props.onChange(target.checked)}
      />
      Everyone who reads this table has it
    </label>
  );
}
