/** The history of a record from the event log: authors, fields, and old and new values. */
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { UndoButton } from "../../events/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { ThenButton } from "../../ui/display/then-button.tsx";
import { type GridColumn, titleOfColumn } from "../column/column.ts";
import { type NameOf, toText } from "../column/value.ts";
import { Select } from "../../ui/form/controls.tsx";

interface RecordHistoryProps {
  readonly slug: string;
  readonly columns: readonly GridColumn[];
  readonly recordId: string;
  readonly nameOf: NameOf;
  /** Shows the record at that time. */
  readonly onSee?: ((at: string) => void) | undefined;
  /** The time of the shown version. */
  readonly at?: string | undefined;
}

interface Changed {
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly changes?: readonly string[];
}

/** Loads the record's events, newest first. */
export const useRecordEvents = (slug: string, recordId: string) =>
  useOp("records.history", { params: { slug, recordId }, query: { limit: 100 } });

export function RecordHistory(props: RecordHistoryProps) {
  const { slug, columns, recordId, nameOf, onSee, at } = props;
  const [field, setField] = useState("");
  const { data, error } = useRecordEvents(slug, recordId);
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={5} />;
  const events = data.data.filter(
    ({ createdAt, data: { changes } }) =>
      (field === "" || (Array.isArray(changes) && changes.includes(field))) &&
      (at === undefined || Date.parse(createdAt) <= Date.parse(at)),
  );
  return (
    <>
      <label className="history-filter">
        <span className="muted">Field:</span>
        <Select value={field} onChange={({ target }) => setField(target.value)}>
          <option value="">All fields</option>
          {columns
            .filter(({ isSystem }) => !isSystem)
            .map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
        </Select>
      </label>
      {events.length === 0 && <Empty title="No changes yet" />}
      <ol className="record-history">
        {events.map(({ id, type, actor, createdAt, data: told }) => (
          <li key={id}>
            <Avatar name={actor.name} />
            <div className="grow">
              <p>
                <strong>{actor.name}</strong> {WORDS[type] ?? type}{" "}
                <ThenButton at={createdAt} onSee={type === "record.deleted" ? undefined : onSee} />{" "}
                {at === undefined && <UndoButton events={[{ id, type }]} />}
              </p>
              <Differences told={told as Changed} {...{ columns, nameOf, field }} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  "record.created": "created this record",
  "record.updated": "changed this record",
  "record.deleted": "deleted this record",
  "record.restored": "restored this record",
};

interface DifferencesProps {
  readonly told: Changed;
  readonly columns: readonly GridColumn[];
  readonly nameOf: NameOf;
  readonly field: string;
}

function Differences({ told, columns, nameOf, field }: DifferencesProps) {
  const names = (told.changes ?? []).filter((name) => field === "" || name === field);
  if (names.length === 0) return null;
  return (
    <dl className="differences">
      {names.map((name) => {
        const column = columns.find((one) => one.name === name);
        const say = (value: unknown): string =>
          (column ? toText(column, value, nameOf) : JSON.stringify(value ?? null)) || "empty";
        return (
          <div key={name}>
            <dt>{titleOfColumn(columns, name)}</dt>
            <dd>
              <del>{say(told.before?.[name])}</del> <ins>{say(told.after?.[name])}</ins>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
