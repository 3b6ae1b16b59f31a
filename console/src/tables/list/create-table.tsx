/** Makes a table: of columns that somebody names, or of a spreadsheet that they paste or drop. */
import { ClipboardPaste, Plus, X } from "lucide-react";
import { useState } from "react";
import { call, type Input } from "../../data/api.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import type { TableShape } from "../column/column.ts";
import { typeWord } from "../column/type-icon.tsx";
import {
  type ColumnDraft,
  draftFault,
  NEW_COLUMN,
  toNewColumn,
  TYPES,
  isComputedType,
} from "../designer/column-draft.ts";
import { guessSheet, type GuessedSheet, toColumns, toRecords } from "./sheet-guess.ts";

const BATCH = 1_000;

interface CreateTableProps {
  readonly onClose: () => void;
  readonly onMade: (slug: string) => void;
}

export function CreateTable({ onClose, onMade }: CreateTableProps) {
  const [name, setName] = useState("");
  const [drafts, setDrafts] = useState<readonly ColumnDraft[]>([{ ...NEW_COLUMN, title: "Name" }]);
  const [sheet, setSheet] = useState<GuessedSheet>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const fault = name.trim() === "" ? "Give it a name." : sheet ? undefined : faultOf(drafts);
  const submit = async (): Promise<void> => {
    if (fault !== undefined || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const columns = sheet ? toColumns(sheet) : drafts.map(toNewColumn);
      const body = { name: name.trim(), columns } as Input<"tables.create">["body"];
      const { data } = await call("tables.create", { body });
      if (sheet) await fill(data, sheet);
      onMade(data.slug);
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
      setBusy(false);
    }
  };
  const take = (text: string): void => {
    const next = guessSheet(text);
    if (next.columns.length > 0) setSheet(next);
  };
  return (
    <Dialog
      title="New table"
      isWide
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <button
          type="submit"
          className="btn main"
          disabled={fault !== undefined || isBusy}
          title={fault}
        >
          {sheet ? `Create it with ${count(sheet.rows.length, "record")}` : "Create the table"}
        </button>
      }
    >
      <div
        className="create-table"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const [file] = event.dataTransfer.files;
          if (!file) return;
          if (name === "") setName(file.name.replace(/\.[^.]+$/, ""));
          void file.text().then(take);
        }}
      >
        <Field label="Name">
          {(control) => (
            <input
              {...control}
              className="field"
              value={name}
              maxLength={100}
              placeholder="Orders"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        {sheet ? (
          <Guesses sheet={sheet} onChange={setSheet} onClear={() => setSheet(undefined)} />
        ) : (
          <>
            <Columns drafts={drafts} onChange={setDrafts} />
            <SheetField onText={take} />
          </>
        )}
        {error && <ErrorNotice error={error} />}
      </div>
    </Dialog>
  );
}

function faultOf(drafts: readonly ColumnDraft[]): string | undefined {
  for (const [n, draft] of drafts.entries()) {
    const fault = draftFault(draft, []);
    if (fault !== undefined) return `Column ${n + 1}: ${fault}`;
  }
  return undefined;
}

async function fill({ slug, columns }: TableShape, sheet: GuessedSheet): Promise<void> {
  const { records, faults } = toRecords(sheet, columns);
  for (let n = 0; n < records.length; n += BATCH) {
    const body = { records: records.slice(n, n + BATCH) };
    await call("records.bulk_create", { params: { slug }, body });
  }
  const left = faults === 0 ? "" : ` ${count(faults, "cell")} did not fit and are empty.`;
  notify(`${count(records.length, "record")} are there.${left}`);
}

function SheetField({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <label className="sheet-drop">
      <ClipboardPaste className="ico" />
      <span>
        Or paste cells of a spreadsheet here, with their titles, or drop a file (CSV, TSV).
      </span>
      <textarea
        className="field"
        rows={2}
        aria-label="Cells of a spreadsheet"
        value=""
        onChange={({ target }) => onText(target.value)}
      />
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="A file with cells"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void file.text().then(onText);
        }}
      />
    </label>
  );
}

interface ColumnsProps {
  readonly drafts: readonly ColumnDraft[];
  readonly onChange: (drafts: readonly ColumnDraft[]) => void;
}

function Columns({ drafts, onChange }: ColumnsProps) {
  const put = (n: number, next: Partial<ColumnDraft>): void =>
    onChange(drafts.map((draft, k) => (k === n ? { ...draft, ...next } : draft)));
  return (
    <fieldset className="draft-columns">
      <legend>Columns</legend>
      {drafts.map((draft, n) => (
        <div key={n} className="draft-line">
          <input
            className="field grow"
            aria-label={`Name of column ${n + 1}`}
            placeholder="Name"
            value={draft.title}
            maxLength={200}
            onChange={({ target }) => put(n, { title: target.value })}
          />
          <select
            className="field"
            aria-label={`Type of column ${n + 1}`}
            value={draft.type}
            onChange={({ target }) => put(n, { type: target.value })}
          >
            {TYPES.filter(
              (type) => !isComputedType(type) && !/^(reference|links|file|image)$/.test(type),
            ).map((type) => (
              <option key={type} value={type}>
                {typeWord(type)}
              </option>
            ))}
          </select>
          {draft.type.endsWith("enum") && (
            <input
              className="field grow"
              aria-label={`Choices of column ${n + 1}`}
              placeholder="open; closed"
              value={draft.values}
              onChange={({ target }) => put(n, { values: target.value })}
            />
          )}
          <button
            type="button"
            className="btn bare icon"
            aria-label={`Remove column ${n + 1}`}
            disabled={drafts.length === 1}
            onClick={() => onChange(drafts.toSpliced(n, 1))}
          >
            <X />
          </button>
        </div>
      ))}
      <button type="button" className="btn bare" onClick={() => onChange([...drafts, NEW_COLUMN])}>
        <Plus /> Column
      </button>
    </fieldset>
  );
}

interface GuessesProps {
  readonly sheet: GuessedSheet;
  readonly onChange: (sheet: GuessedSheet) => void;
  readonly onClear: () => void;
}

function Guesses({ sheet, onChange, onClear }: GuessesProps) {
  return (
    <fieldset className="draft-columns">
      <legend>
        {count(sheet.rows.length, "line")}, {count(sheet.columns.length, "column")}
        <button type="button" className="btn bare" onClick={onClear}>
          Take another
        </button>
      </legend>
      {sheet.columns.map((column, n) => {
        const put = (next: object): void =>
          onChange({ ...sheet, columns: sheet.columns.with(n, { ...column, ...next }) });
        return (
          <div key={n} className="draft-line">
            <input
              type="checkbox"
              aria-label={`Take ${column.title}`}
              checked={column.isTaken}
              onChange={({ target }) => put({ isTaken: target.checked })}
            />
            <span className="grow cut" title={column.title}>
              {column.title} <small className="muted">{column.examples.join(" · ")}</small>
            </span>
            {column.faults > 0 && (
              <span className="tag warn">{count(column.faults, "cell")} do not fit</span>
            )}
            <select
              className="field"
              aria-label={`Type of ${column.title}`}
              value={column.type}
              onChange={({ target }) => put({ type: target.value })}
            >
              {TYPES.filter((type) => PLAIN.has(type) || type === column.type).map((type) => (
                <option key={type} value={type}>
                  {typeWord(type)}
                </option>
              ))}
            </select>
          </div>
        );
      })}
    </fieldset>
  );
}

const PLAIN = new Set(["text", "integer", "decimal", "boolean", "date", "timestamp"]);
