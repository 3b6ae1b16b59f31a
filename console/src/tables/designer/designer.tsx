/** The columns of a table, what they hold, and what a change of them costs. */
import "../table-page.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, etagOf, type Input, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
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
  const drop = async (): Promise<void> => {
    try {
      await call("tables.drop", { params: { slug } });
      notify(`The table ${table.name} is gone.`);
      await navigate({ to: "/tables" });
    } catch (error) {
      notifyError(error);
    }
  };
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
          <Plus /> Column
        </Button>
        <Button look="bare" isDangerous refusal={refusal} onClick={() => setDropping(true)}>
          <Trash2 /> Drop the table…
        </Button>
      </div>
      {isAdding && <AddColumn table={table} onClose={() => setAdding(false)} />}
      {chosen && (
        <ChangeColumn
          key={chosen.name}
          {...{ table, refusal }}
          column={chosen}
          onClose={() => show(undefined)}
        />
      )}
      {isDropping && (
        <Confirm
          title={`Drop ${table.name}?`}
          act="Drop the table"
          onAct={() => void drop()}
          onClose={() => setDropping(false)}
        >
          Its records and views go with it. This can’t be undone.
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
        : `to ${target}`,
    choicesOf(column).join(", "),
    column.required ? "required" : "",
    column.unique ? "no two alike" : "",
    column.indexed ? "indexed" : "",
    column.description,
  ];
  return parts.filter(Boolean).join(" · ");
}

interface ChangeColumnProps {
  readonly table: TableShape;
  readonly column: Column;
  readonly refusal: string | undefined;
  readonly onClose: () => void;
}

function ChangeColumn({ table, column, refusal, onClose }: ChangeColumnProps) {
  const { slug } = table;
  const [ifMatch] = useState(() => etagOf("tables.get", { params: { slug } }));
  const [draft, setDraft] = useState<ColumnDraft>(() => toDraft(column));
  const [isDropping, setDropping] = useState(false);
  const [error, setError] = useState<Error>();
  const records = useOp("records.summarize", {
    params: { slug },
    query: { figures: `filled:${column.name}` },
  }).data?.data.groups[0];
  const filled = Number(records?.figures[`filled:${column.name}`] ?? 0);
  const others = table.columns.map(({ name }) => name).filter((name) => name !== column.name);
  const fault = draftFault(draft, others);
  const send = async (body: object, words: string): Promise<void> => {
    try {
      const input = { params: { slug }, body: body as Input<"tables.update">["body"] };
      await call("tables.update", input, ifMatch === undefined ? {} : { ifMatch });
      notify(words);
      onClose();
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    }
  };
  const { name, title } = draft;
  const toBody = (): object => {
    const changed = {
      name,
      ...(title !== column.title && { title }),
      type: draft.type,
      ...(!isComputedType(draft.type) && {
        required: draft.isRequired,
        unique: draft.isUnique,
      }),
      ...(isIndexableType(draft.type) && { indexed: draft.isIndexed }),
      options: { ...(draft.type === column.type && column.options), ...toOptions(draft) },
      description: draft.description,
    };
    return {
      ...(name !== column.name && { renameColumns: { [column.name]: name } }),
      alterColumns: [changed],
    };
  };
  const save = (): void => {
    if (fault !== undefined || refusal !== undefined) return;
    void send(toBody(), `The column ${title} is changed.`);
  };
  const isHeavy = draft.type !== column.type || draft.isRequired || draft.isUnique;
  return (
    <Dialog
      title={`Column ${column.title}`}
      onClose={onClose}
      onSubmit={save}
      footer={
        <>
          <Button
            look="bare"
            isDangerous
            type="button"
            disabled={refusal !== undefined}
            onClick={() => setDropping(true)}
          >
            Remove…
          </Button>
          <span className="grow" />
          <Button
            look="main"
            type="submit"
            disabled={fault !== undefined || refusal !== undefined}
            title={fault ?? refusal}
          >
            Save
          </Button>
        </>
      }
    >
      <ColumnFields draft={draft} onChange={setDraft} table={table} />
      <p className="muted">{costOf(column, draft, { records: records?.count ?? 0, filled })}</p>
      {isHeavy && refusal === undefined && fault === undefined && (
        <TryChange key={JSON.stringify(draft)} slug={slug} toBody={toBody} />
      )}
      {error && <ErrorNotice error={error} />}
      {isDropping && (
        <Confirm
          title={`Remove ${column.title}?`}
          act="Remove the column"
          onAct={() =>
            void send({ dropColumns: [column.name] }, `The column ${column.title} is deleted.`)
          }
          onClose={() => setDropping(false)}
        >
          {count(filled, "record")} {filled === 1 ? "has" : "have"} a value in it, which goes with
          it.
        </Confirm>
      )}
    </Dialog>
  );
}
