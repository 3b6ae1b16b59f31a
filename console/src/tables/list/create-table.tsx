/** Creates a table from column names, or from a pasted or dropped spreadsheet. */
import { useNavigate } from "@tanstack/react-router";
import { ClipboardPaste, Plus, X } from "lucide-react";
import { call, type Input } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useWork } from "../../data/use-command.ts";
import { uploadFile } from "../../data/files/files.ts";
import { NewTableAccess } from "../../data/notices/record-access.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { typeWord } from "../column/type-icon.tsx";
import {
  type ColumnDraft,
  draftFault,
  NEW_COLUMN,
  toNewColumn,
  TYPES,
  isComputedType,
} from "../designer/column-draft.ts";
import { Button } from "../../ui/form/button.tsx";
import { FileInput, Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface CreateTableProps {
  readonly onClose: () => void;
  readonly onMade: (slug: string) => void;
}

interface Draft {
  readonly name: string;
  readonly columns: readonly ColumnDraft[];
}

export function CreateTable({ onClose, onMade }: CreateTableProps) {
  const navigate = useNavigate();
  const form = useForm("tables.create", {
    initial: { name: "", columns: [{ ...NEW_COLUMN, title: "Name" }] },
    toBody: ({ name, columns }: Draft) =>
      ({ name, columns: columns.map(toNewColumn) }) as Input<"tables.create">["body"],
    check: ({ columns }) => ({ columns: faultOf(columns) }),
    onDone: ({ data }) => onMade(data.slug),
  });
  const { name } = form.values;
  // An import shows the guessed column types before it creates the table.
  const taking = useWork("imports.create");
  const take = (file: File): void =>
    void taking.run(async () => {
      const { id: fileId } = await uploadFile(file);
      const { data } = await call("imports.create", { body: { fileId, name: file.name } });
      await navigate({ to: "/imports/$importId", params: { importId: data.id } });
    });
  const takeText = (text: string): void => {
    if (text.trim() === "") return;
    const title = name.trim() === "" ? "Pasted table" : name.trim();
    take(new File([text], `${title}.csv`, { type: "text/csv" }));
  };
  const columns = form.field("columns");
  return (
    <FormDialog
      form={{ ...form, isBusy: form.isBusy || taking.isBusy }}
      title="New table"
      act="Create table"
      isWide
      onClose={onClose}
    >
      <div
        className="create-table"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const [file] = event.dataTransfer.files;
          if (file) take(file);
        }}
      >
        <TextField {...form.field("name")} placeholder="Orders" />
        <Columns
          drafts={columns.value ?? []}
          error={columns.errorFor("Columns")}
          onChange={columns.onChange}
        />
        <SheetField isBusy={taking.isBusy} onText={takeText} onFile={take} />
        <NewTableAccess />
      </div>
    </FormDialog>
  );
}

function faultOf(drafts: readonly ColumnDraft[]): string | undefined {
  for (const [n, draft] of drafts.entries()) {
    const fault = draftFault(draft, []);
    if (fault !== undefined) return `Column ${n + 1}: ${fault}`;
  }
  return undefined;
}

interface SheetFieldProps {
  readonly isBusy: boolean;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File) => void;
}

function SheetField({ isBusy, onText, onFile }: SheetFieldProps) {
  return (
    <label className="sheet-drop">
      <ClipboardPaste className="ico" />
      <span>
        You can also paste cells with their titles from a spreadsheet, or drop a file. The columns
        are shown below before the table is created.
      </span>
      <TextArea
        rows={2}
        disabled={isBusy}
        aria-label="Spreadsheet cells"
        value=""
        onChange={({ target }) => onText(target.value)}
      />
      <FileInput
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson"
        disabled={isBusy}
        aria-label="File with cells"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
        }}
      />
    </label>
  );
}

interface ColumnsProps {
  readonly drafts: readonly ColumnDraft[];
  readonly error: string | undefined;
  readonly onChange: (drafts: readonly ColumnDraft[]) => void;
}

function Columns({ drafts, error, onChange }: ColumnsProps) {
  const put = (n: number, next: Partial<ColumnDraft>): void =>
    onChange(drafts.map((draft, k) => (k === n ? { ...draft, ...next } : draft)));
  return (
    <fieldset className="draft-columns">
      <legend>Columns</legend>
      {drafts.map((draft, n) => (
        <div key={n} className="draft-line">
          <TextInput
            className="grow"
            aria-label={`Name of column ${n + 1}`}
            placeholder="Name"
            value={draft.title}
            maxLength={200}
            onChange={({ target }) => put(n, { title: target.value })}
          />
          <Select
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
          </Select>
          {draft.type.endsWith("enum") && (
            <TextInput
              className="grow"
              aria-label={`Options of column ${n + 1}`}
              placeholder="open; closed"
              value={draft.values}
              onChange={({ target }) => put(n, { values: target.value })}
            />
          )}
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label={`Remove column ${n + 1}`}
            disabled={drafts.length === 1}
            onClick={() => onChange(drafts.toSpliced(n, 1))}
          >
            <X />
          </Button>
        </div>
      ))}
      {error !== undefined && <p className="field-error">{error}</p>}
      <Button look="bare" type="button" onClick={() => onChange([...drafts, NEW_COLUMN])}>
        <Plus /> Add column
      </Button>
    </fieldset>
  );
}
