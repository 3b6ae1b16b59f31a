/** Edits table columns and shows the cost of changes. */
import "../table-page.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { etagOf, type Input, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useRefusal } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { count } from "../../ui/words.ts";
import {
  choicesOf,
  type Column,
  explainReadOnly,
  isComputed,
  linkTargetOf,
  type TableShape,
  targetOf,
} from "../column/column.ts";
import { TypeIcon, typeWord } from "../column/type-icon.tsx";
import { AddColumn } from "./add-column.tsx";
import {
  type ColumnDraft,
  costOf,
  draftFault,
  isComputedType,
  isIndexableType,
  toDraft,
  toOptions,
} from "./column-draft.ts";
import { ColumnFields } from "./column-fields.tsx";
import { TryChange } from "./try-change.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

export function Designer() {
  const { slug } = useParams({ from: "/inside/tables/$slug/design" });
  const { data, error, refetch } = useOp("tables.get", { params: { slug } });
  const table = data?.data;
  useTitle(table && `${table.name}: columns`);
  return (
    <div className="page paper">
      <header className="page-head">
        <h1 className="cut">
          <Link to="/tables/$slug" params={{ slug }}>
            {table?.name ?? slug}
          </Link>
          <span className="muted"> / Columns</span>
        </h1>
      </header>
      {error && !table && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!table && !error && <Loading />}
      {table && <ColumnList table={table} />}
    </div>
  );
}

function ColumnList({ table }: { readonly table: TableShape }) {
  const { slug } = table;
  const { column: asked } = useSearch({ from: "/inside/tables/$slug/design" });
  const navigate = useNavigate();
  const refusal = useRefusal("tables.drop");
  const [isAdding, setAdding] = useState(false);
  const [isDropping, setDropping] = useState(false);
  const show = (column: string | undefined): void =>
    void navigate({
      to: "/tables/$slug/design",
      params: { slug },
      search: { column },
      replace: true,
    });
  const chosen = table.columns.find(({ name }) => name === asked);
  const drop = useCommand("tables.drop", {
    said: `Table ${table.name} deleted.`,
    onDone: () => void navigate({ to: "/tables" }),
  });
  return (
    <div className="design scroll">
      <ul className="design-columns">
        {table.columns.map((column) => (
          <li key={column.name}>
            <PlainButton className="design-column" onClick={() => show(column.name)}>
              <TypeIcon type={column.type} />
              <strong className="cut">{column.title}</strong>
              <span className="muted cut">{aboutOf(column)}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      <div className="filter-acts">
        <Button refusal={refusal} onClick={() => setAdding(true)}>
          <Plus /> Add column
        </Button>
        <Button look="bare" isDangerous refusal={refusal} onClick={() => setDropping(true)}>
          <Trash2 /> Delete table…
        </Button>
      </div>
      {isAdding && <AddColumn table={table} onClose={() => setAdding(false)} />}
      {chosen && (
        <ChangeColumn
          key={chosen.name}
          table={table}
          column={chosen}
          onClose={() => show(undefined)}
        />
      )}
      {isDropping && (
        <Confirm
          title={`Delete ${table.name}?`}
          act="Delete table"
          isBusy={drop.isBusy}
          onAct={() => void drop.run({ params: { slug } })}
          onClose={() => setDropping(false)}
        >
          Deletes all its records and views. This can't be undone.
        </Confirm>
      )}
    </div>
  );
}

function aboutOf(column: Column): string {
  const target = targetOf(column) ?? linkTargetOf(column);
  const parts = [
    typeWord(column.type),
    isComputed(column)
      ? explainReadOnly(column.type, column.options)
      : target === undefined
        ? ""
        : `refers to ${target}`,
    choicesOf(column).join(", "),
    column.required ? "required" : "",
    column.unique ? "unique" : "",
    column.indexed ? "indexed" : "",
    column.description,
  ];
  return parts.filter(Boolean).join(" · ");
}

interface ChangeColumnProps {
  readonly table: TableShape;
  readonly column: Column;
  readonly onClose: () => void;
}

function ChangeColumn({ table, column, onClose }: ChangeColumnProps) {
  const params = { slug: table.slug };
  const [etag] = useState(() => etagOf("tables.get", { params }));
  const [isDropping, setDropping] = useState(false);
  const others = table.columns.map(({ name }) => name).filter((name) => name !== column.name);
  const toBody = (draft: ColumnDraft) =>
    toUpdate(column, draft) as NonNullable<Input<"tables.update">["body"]>;
  const form = useForm("tables.update", {
    params,
    initial: { column: toDraft(column) },
    version: { etag },
    toBody: (values: { readonly column: ColumnDraft }) => toBody(values.column),
    check: (values) => ({ column: draftFault(values.column, others) }),
    said: "Column saved.",
    onDone: onClose,
  });
  const remove = useCommand("tables.update", {
    said: `Column ${column.title} deleted.`,
    onDone: onClose,
  });
  const records = useOp("records.summarize", {
    params,
    query: { figures: `filled:${column.name}` },
  }).data?.data.groups[0];
  const filled = Number(records?.figures[`filled:${column.name}`] ?? 0);
  const draft = form.values.column;
  const isHeavy = draft.type !== column.type || draft.isRequired || draft.isUnique;
  const isReady = form.refusal === undefined && draftFault(draft, others) === undefined;
  return (
    <FormDialog
      form={form}
      title={`Column ${column.title}`}
      onClose={onClose}
      others={
        <CommandButton look="bare" isDangerous command={remove} onPress={() => setDropping(true)}>
          Delete…
        </CommandButton>
      }
      beside={
        isDropping && (
          <Confirm
            title={`Delete ${column.title}?`}
            act="Delete column"
            isBusy={remove.isBusy}
            onAct={() => void remove.run({ params, body: { dropColumns: [column.name] } }, etag)}
            onClose={() => setDropping(false)}
          >
            {count(filled, "record")} {filled === 1 ? "has" : "have"} a value in this column. The
            values are deleted with the column.
          </Confirm>
        )
      }
    >
      <ColumnFields field={form.field("column")} table={table} hasName />
      <p className="muted">{costOf(column, draft, { records: records?.count ?? 0, filled })}</p>
      {isHeavy && isReady && (
        <TryChange key={JSON.stringify(draft)} slug={table.slug} toBody={() => toBody(draft)} />
      )}
    </FormDialog>
  );
}

/** Converts a column change to a table update. */
function toUpdate(column: Column, draft: ColumnDraft): object {
  const { name, title, type, isRequired, isUnique, isIndexed, description } = draft;
  const changed = {
    name,
    ...(title !== column.title && { title }),
    type,
    ...(!isComputedType(type) && { required: isRequired, unique: isUnique }),
    ...(isIndexableType(type) && { indexed: isIndexed }),
    options: { ...(type === column.type && column.options), ...toOptions(draft) },
    description,
  };
  return {
    ...(name !== column.name && { renameColumns: { [column.name]: name } }),
    alterColumns: [changed],
  };
}
