import { TABLE_VIEW_KIND } from "@millrace/client/enums";
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
import { call } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMay, useMe, useRefusals } from "../../data/people.ts";
import { perform, useCommand } from "../../data/use-command.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import type { GridColumn } from "../column/column.ts";
import { type Layout, layoutOf, type SavedView, type ViewKind } from "./layout.ts";
import type { LayoutState } from "./use-layout.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

const ICONS = { grid: Table2, board: Kanban, calendar: CalendarDays, form: ClipboardList };

interface ViewTabsProps {
  readonly slug: string;
  readonly state: LayoutState;
  readonly columns: readonly GridColumn[];
}

/** Shows shared and private views, and unsaved changes of the open view. */
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
        aria-label="Save as new view"
        title="Save as new view"
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
  const update = useCommand("table_views.update", {
    said: ({ data: { name } }) => `View ${name} saved.`,
    onDone: reset,
  });
  return (
    <span className="view-changed">
      <Button look="bare" onClick={reset} title="Reset to the saved view">
        <RotateCcw /> <span className="wide-only">Reset view</span>
      </Button>
      {isOwn ? (
        <CommandButton
          command={update}
          onPress={() => void update.run({ params: { id: view.id }, body: layoutOf(layout) })}
        >
          <Save /> <span className="wide-only">Save view</span>
        </CommandButton>
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
  const isOwn = view.createdBy === me || may("tables.create");
  const foreign = isOwn ? undefined : "Only the owner of a view can change it.";
  const remove = (): void => {
    const { id, name, table, shared, position } = view;
    const body = { ...layoutOf(view), name, table, shared, position };
    void perform(
      "table_views.delete",
      { params: { id } },
      {
        said: `View ${name} deleted.`,
        undo: () => call("table_views.create", { body }),
        onDone: onGone,
      },
    );
  };
  return (
    <Menu
      label={`View ${view.name}`}
      items={[
        {
          label: view.shared ? "Make private" : "Share with everyone",
          icon: <Users className="ico" />,
          disabled: foreign ?? refusalOf("records.create"),
          onPick: () =>
            void perform("table_views.update", {
              params: { id: view.id },
              body: { shared: !view.shared },
            }),
        },
        {
          label: "Delete view",
          isDangerous: true,
          isApart: true,
          disabled: foreign,
          onPick: remove,
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

interface ViewDraft {
  readonly name: string;
  readonly kind: ViewKind;
  /** The column of a board's groups or a calendar's days, if it is not the first possible one. */
  readonly by: string | null;
  readonly shared: boolean;
}

function NewView({ slug, columns, layout, onClose, onMade }: NewViewProps) {
  const mayShare = useMay()("records.create");
  const choicesOf = (kind: ViewKind): readonly GridColumn[] =>
    columns.filter(({ type }) => (kind === "board" ? type === "enum" : DATES.has(type)));
  const fieldOf = ({ kind, by }: ViewDraft) => by ?? choicesOf(kind)[0]?.name ?? null;
  const needsField = (kind: ViewKind): boolean => kind === "board" || kind === "calendar";
  const form = useForm("table_views.create", {
    initial: { name: "", kind: "grid", by: null, shared: false },
    toBody: (draft: ViewDraft) => {
      const { name, kind, shared } = draft;
      const groupBy = kind === "board" ? fieldOf(draft) : kind === "grid" ? layout.groupBy : null;
      const dateField = kind === "calendar" ? fieldOf(draft) : null;
      return { ...layoutOf({ ...layout, kind, groupBy, dateField }), name, table: slug, shared };
    },
    check: (draft) => ({
      by:
        needsField(draft.kind) && fieldOf(draft) === null
          ? "This table has no suitable column yet."
          : undefined,
    }),
    onDone: ({ data }) => onMade(data.id),
  });
  const draft = form.values;
  const shared = form.field("shared");
  return (
    <FormDialog form={form} title="Save view" onClose={onClose}>
      <TextField {...form.field("name")} />
      <SelectField {...form.field("kind")} label="Type" options={KINDS} isRequired />
      {needsField(draft.kind) && (
        <SelectField
          {...form.field("by")}
          value={fieldOf(draft)}
          label={draft.kind === "board" ? "Group by" : "Date column"}
          isRequired
          options={choicesOf(draft.kind).map(({ name, title }) => [name, title])}
        />
      )}
      <CheckField
        {...shared}
        isDisabled={shared.isDisabled || !mayShare}
        label="Share with everyone who can read this table"
      />
      <p className="muted">
        Saves the current filter, sort order, groups and columns. Users of the view see only the
        records that they have access to.
      </p>
    </FormDialog>
  );
}

const KINDS = choicesOf(TABLE_VIEW_KIND, {
  grid: "Grid",
  board: "Board (by a single select)",
  calendar: "Calendar (by a date)",
  form: "Form",
});
const DATES = new Set(["date", "timestamp"]);
