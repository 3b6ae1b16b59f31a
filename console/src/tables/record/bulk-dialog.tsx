/** Sets one field of all records in a list, after showing how many records that affects. */
import { useState } from "react";
import { useForm } from "../../data/form/use-form.ts";
import { useWork } from "../../data/use-command.ts";
import { dryRun } from "../book/dry-run.ts";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { count } from "../../ui/words.ts";
import { type ListSpec, toQuery, useSummary } from "../book/use-row-book.ts";
import { type GridColumn, type TableShape } from "../column/column.ts";
import { BulkPreview } from "./bulk-preview.tsx";
import { FieldEditor } from "./field-editor.tsx";

const AT_ONCE_MAX = 10_000;

interface BulkDialogProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly spec: ListSpec;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Draft {
  readonly name: string;
  readonly value: unknown;
}

/** The tested change and its effect. */
interface Trial {
  readonly draft: Draft;
  readonly told: Awaited<ReturnType<typeof dryRun>>;
}

export function BulkDialog({ table, columns, spec, onClose, onDone }: BulkDialogProps) {
  const params = { slug: table.slug };
  const writable = columns.filter(({ readOnly }) => readOnly === undefined);
  const found = useSummary(spec, null, "").data?.data.groups[0]?.count;
  const { filter } = toQuery(spec);
  const toBody = ({ name, value }: Draft) => ({
    filter: JSON.parse(filter ?? "{}") as Record<string, unknown>,
    set: { [name]: value },
  });
  const [tried, setTried] = useState<Trial>();
  const form = useForm("records.bulk_update", {
    params,
    initial: { name: writable[0]?.name ?? "", value: null },
    toBody,
    refusal: describeObstacle(spec, found),
    said: ({ data }) =>
      `${count(data.updated, "record")} updated. The others already had this value.`,
    onDone: () => {
      onDone();
      onClose();
    },
  });
  const draft = form.values;
  const column = writable.find(({ name }) => name === draft.name);
  const told = JSON.stringify(tried?.draft) === JSON.stringify(draft) ? tried?.told : undefined;
  const trial = useWork("records.bulk_update");
  const tryIt = (): void =>
    void trial.run(async () => {
      const input = { params, body: toBody(draft) };
      const { signal } = new AbortController();
      setTried({ draft, told: await dryRun("records.bulk_update", input, signal) });
    });
  const nothing =
    told?.eventCount === 0 ? "All matching records already have this value." : undefined;
  return (
    <FormDialog
      form={{
        ...form,
        isBusy: form.isBusy || trial.isBusy,
        refusal: form.refusal ?? nothing,
        submit: told ? form.submit : tryIt,
      }}
      title="Update matching records"
      act={told ? `Update ${count(told.eventCount, "record")}` : "Preview"}
      onClose={onClose}
    >
      <BulkFields
        {...{ writable, column, draft }}
        name={form.field("name")}
        onChange={form.change}
      />
      <p className="muted">
        {Object.keys(spec.filter).length === 0
          ? "No filter is set. The update applies to all records that you can see in this table."
          : "The update applies to all records that match the filter."}{" "}
        {found === undefined ? "" : `There are ${found.toLocaleString("en")}. `}
        You can undo the update until someone else changes the same fields.
      </p>
      {form.refusal !== undefined && <p className="field-error">{form.refusal}</p>}
      {told && column && <BulkPreview {...{ told, column, columns }} found={found ?? 0} />}
    </FormDialog>
  );
}

/** Returns why these records can't be changed. */
function describeObstacle(spec: ListSpec, found: number | undefined): string | undefined {
  if (spec.q !== "") return "Clear the search first. The update uses only the filter.";
  if (found === undefined) return "Counting records…";
  if (found === 0) return "There are no matching records.";
  if (found <= AT_ONCE_MAX) return undefined;
  return `You can update at most ${AT_ONCE_MAX.toLocaleString("en")} records at once. Narrow the filter.`;
}

interface BulkFieldsProps {
  readonly writable: readonly GridColumn[];
  readonly column: GridColumn | undefined;
  readonly draft: Draft;
  readonly name: FieldBinding<string>;
  readonly onChange: (change: Partial<Draft>) => void;
}

function BulkFields({ writable, column, draft, name, onChange }: BulkFieldsProps) {
  return (
    <>
      <SelectField
        {...name}
        label="Column"
        isRequired
        options={writable.map((one) => [one.name, one.title])}
        onChange={(chosen) => chosen && onChange({ name: chosen, value: null })}
      />
      {column && (
        <div className="field-box">
          <span className="field-label">New value</span>
          <FieldEditor
            key={draft.name}
            column={column}
            value={draft.value}
            nameOf={() => undefined}
            onSave={(value) => onChange({ value })}
          />
        </div>
      )}
    </>
  );
}
