/** The record panel next to the grid: fields, references in both directions, and history. */
import { Link } from "@tanstack/react-router";
import { Link2, X } from "lucide-react";
import { useMemo, useState } from "react";
import { ApiError, etagOf, useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { useNames } from "../../data/names/names.ts";
import { PastBanner, PastError } from "../../past/index.ts";
import { useActions } from "../../shell/actions.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type GridColumn, type TableShape, targetOf } from "../column/column.ts";
import { titleOf } from "../column/title.ts";
import { TypeIcon } from "../column/type-icon.tsx";
import { nameIn } from "../column/value.ts";
import { useAccess } from "../sheet/use-access.ts";
import { Comments } from "./comments.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { GoneRecord } from "./gone-record.tsx";
import { RecordHistory, useRecordEvents } from "./record-history.tsx";
import { References } from "./references.tsx";
import { Button } from "../../ui/form/button.tsx";

interface RecordPanelProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly recordId: string;
  /** The time of the shown version; undefined shows the current one. */
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
  readonly onClose: () => void;
}

const TABS = [
  { id: "fields", label: "Fields" },
  { id: "references", label: "References" },
  { id: "comments", label: "Comments" },
  { id: "history", label: "History" },
] as const;
type Tab = (typeof TABS)[number]["id"];

export function RecordPanel({ at, ...props }: RecordPanelProps) {
  return at === undefined ? <PresentRecord {...props} /> : <PastRecord {...props} at={at} />;
}

function PresentRecord(props: Omit<RecordPanelProps, "at">) {
  const { table, columns, recordId, onAt, onClose } = props;
  const { slug } = table;
  const [tab, setTab] = useState<Tab>("fields");
  const { data, error, refetch } = useOp("records.get", { params: { slug, recordId } });
  const expand = columns
    .filter((column) => targetOf(column) !== undefined && !column.isSystem)
    .map(({ name }) => name)
    .join(",");
  const named = useOp(
    "records.get",
    { params: { slug, recordId }, query: { expand } },
    { enabled: expand !== "" },
  ).data?.data;
  const people = useNames();
  const nameOf = useMemo(() => {
    const names = new Map<string, string>();
    for (const value of Object.values(named ?? {})) {
      if (typeof value !== "object" || value === null) continue;
      const { id } = value as { readonly id?: string };
      const name = nameIn(value);
      if (id !== undefined && name !== undefined) names.set(id, name);
    }
    return (id: string) => names.get(id) ?? people(id);
  }, [named, people]);
  useActions([{ keys: "Escape", label: "Close record", run: onClose, hidden: true }]);
  const record = data?.data as Readonly<Record<string, unknown>> | undefined;
  const title = record && titleOf(record, columns);
  return (
    <aside className="record-panel" aria-label={`Record ${title ?? ""}`}>
      <header className="record-head">
        <h2 className="grow cut">{title ?? "…"}</h2>
        <Button
          look="bare"
          isIcon
          aria-label="Copy link to this record"
          title="Copy link"
          onClick={() => void copyText(location.href, "Link")}
        >
          <Link2 />
        </Button>
        <Button look="bare" isIcon aria-label="Close" title="Close" onClick={onClose}>
          <X />
        </Button>
      </header>
      <Tabs
        label="Sections of the record"
        tabs={TABS}
        chosen={tab}
        onChoose={(next) => setTab(next as Tab)}
      >
        <div
          className="record-body scroll"
          tabIndex={0}
          role="group"
          aria-label={TABS.find(({ id }) => id === tab)?.label}
        >
          {error && !record && isGone(error) && (
            <GoneRecord
              {...{ slug, columns, recordId, nameOf }}
              onBack={() => void refetch()}
              onSee={onAt}
            />
          )}
          {error && !record && !isGone(error) && (
            <ErrorNotice error={error} retry={() => void refetch()} />
          )}
          {!record && !error && <Loading rows={8} />}
          {record && tab === "fields" && (
            <Fields {...{ table, columns, record, nameOf }} reread={() => void refetch()} />
          )}
          {record && tab === "references" && (
            <References {...{ table, columns, record, recordId, nameOf }} />
          )}
          {record && tab === "comments" && <Comments slug={slug} recordId={recordId} />}
          {record && tab === "history" && (
            <RecordHistory {...{ slug, columns, recordId, nameOf }} onSee={onAt} />
          )}
        </div>
      </Tabs>
    </aside>
  );
}

/** Shows a record at a point in time with the previous history. */
function PastRecord(props: RecordPanelProps & { readonly at: string }) {
  const { table, columns, recordId, at, onAt, onClose } = props;
  const { slug } = table;
  const input = { params: { slug, recordId }, query: { asOf: at } };
  const { data, error, isPlaceholderData, refetch } = useOp("records.get", input);
  const record = isPlaceholderData
    ? undefined
    : (data?.data as Readonly<Record<string, unknown>> | undefined);
  const events = useRecordEvents(slug, recordId).data?.data ?? [];
  const nameOf = useNames();
  const title = record && titleOf(record, columns);
  return (
    <aside className="record-panel" aria-label={`Earlier version of record ${title ?? ""}`}>
      <PastBanner at={at} moments={events.map(({ createdAt }) => createdAt)} onChange={onAt} />
      <header className="record-head">
        <h2 className="grow cut">{title ?? "…"}</h2>
        <Button
          look="bare"
          isIcon
          aria-label="Close earlier version"
          title="Close"
          onClick={onClose}
        >
          <X />
        </Button>
      </header>
      <div className="record-body scroll" tabIndex={0} role="group" aria-label="Fields">
        {error && <PastError error={error} retry={() => void refetch()} />}
        {!record && !error && <Loading rows={8} />}
        {record && !error && (
          <dl className="record-fields">
            {columns.map((column) => (
              <div key={column.name} className="record-field">
                <dt title={column.description || column.name}>
                  <TypeIcon type={column.type} />
                  <span className="cut">{column.title}</span>
                </dt>
                <dd>
                  <FieldEditor
                    {...{ column, nameOf }}
                    value={record[column.name]}
                    disabled="This is an earlier version. You can't edit it."
                    onSave={() => undefined}
                  />
                </dd>
              </div>
            ))}
          </dl>
        )}
        <h3 className="record-until">History up to this version</h3>
        <RecordHistory {...{ slug, columns, recordId, nameOf, at }} onSee={onAt} />
      </div>
    </aside>
  );
}

const isGone = (error: Error): boolean => error instanceof ApiError && error.status === 404;

interface FieldsProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly record: Readonly<Record<string, unknown>>;
  readonly nameOf: (id: string) => string | undefined;
  readonly reread: () => void;
}

function Fields({ table, columns, record, nameOf, reread }: FieldsProps) {
  const { slug } = table;
  const recordId = String(record["id"]);
  const access = useAccess(table);
  // The version of the displayed fields, so that saving does not overwrite another user's change.
  const ifMatch = etagOf("records.get", { params: { slug, recordId } });
  const save = async (column: GridColumn, value: unknown): Promise<void> => {
    const saved = await perform(
      "records.update",
      { params: { slug, recordId }, body: { [column.name]: value } },
      { ifMatch, said: `${column.title} saved.` },
    );
    // Another user may have changed it in the meantime.
    if (!saved) reread();
  };
  return (
    <dl className="record-fields">
      {columns.map((column) => {
        const target = targetOf(column);
        const value = record[column.name];
        const isLinked = target !== undefined && target !== "users" && typeof value === "string";
        return (
          <div key={column.name} className="record-field">
            <dt title={column.description || column.name}>
              <TypeIcon type={column.type} />
              <span className="cut">{column.title}</span>
              {isLinked && (
                <Link
                  to="/tables/$slug"
                  params={{ slug: target }}
                  search={{ open: value }}
                  className="record-jump"
                >
                  Open
                </Link>
              )}
            </dt>
            <dd>
              <FieldEditor
                {...{ column, value, nameOf }}
                disabled={access.update}
                onSave={(next) => void save(column, next)}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
