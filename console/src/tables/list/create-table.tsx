/** Makes a table: of columns that somebody names, or of a spreadsheet that they paste or drop. */
import { useNavigate } from "@tanstack/react-router";
import { ClipboardPaste, Plus, X } from "lucide-react";
import { useState } from "react";
import { call, type Input } from "../../data/api.ts";
import { uploadFile } from "../../data/files/files.ts";
import { NewTableAccess } from "../../data/notices/record-access.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
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

export function CreateTable({ onClose, onMade }: CreateTableProps) {
  const [name, setName] = useState("");
  const [drafts, setDrafts] = useState<readonly ColumnDraft[]>([{ ...NEW_COLUMN, title: "Name" }]);
  const navigate = useNavigate();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const fault = name.trim() === "" ? "Give it a name." : faultOf(drafts);
  const submit = async (): Promise<void> => {
    if (fault !== undefined || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const columns = drafts.map(toNewColumn);
      const body = { name: name.trim(), columns } as Input<"tables.create">["body"];
      const { data } = await call("tables.create", { body });
      onMade(data.slug);
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
      setBusy(false);
    }
  };
  // An import shows what its columns are read as, before a table is made of them.
  const take = async (file: File): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { id: fileId } = await uploadFile(file);
      const { data } = await call("imports.create", { body: { fileId, name: file.name } });
      await navigate({ to: "/imports/$importId", params: { importId: data.id } });
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
      setBusy(false);
    }
  };
  const takeText = (text: string): void => {
    if (text.trim() === "") return;
    const title = name.trim() === "" ? "Pasted table" : name.trim();
    void take(new File([text], `${title}.csv`, { type: "text/csv" }));
  };
  return (
    <Dialog
      title="New table"
      isWide
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <Button look="main" type="submit" disabled={fault !== undefined || isBusy} title={fault}>
          Create table
        </Button>
      }
    >
      <div
        className="create-table"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const [file] = event.dataTransfer.files;
          if (file) void take(file);
        }}
      >
        <Field label="Name">
          {(control) => (
            <TextInput
              {...control}
              value={name}
              maxLength={100}
              placeholder="Orders"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Columns drafts={drafts} onChange={setDrafts} />
        <SheetField isBusy={isBusy} onText={takeText} onFile={(file) => void take(file)} />
        <NewTableAccess />
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
        Or paste cells of a spreadsheet with their titles, or drop a file. You see how the columns
        are read before the table is created.
      </span>
      <TextArea
        rows={2}
        disabled={isBusy}
        aria-label="Cells of a spreadsheet"
        value=""
        onChange={({ target }) => onText(target.value)}
      />
      <FileInput
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson"
        disabled={isBusy}
        aria-label="A file with cells"
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
              aria-label={`Choices of column ${n + 1}`}
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
      <Button look="bare" type="button" onClick={() => onChange([...drafts, NEW_COLUMN])}>
        <Plus /> Column
      </Button>
    </fieldset>
  );
}
