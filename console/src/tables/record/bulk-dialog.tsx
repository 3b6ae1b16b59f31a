/** Sets one field of all records that a list finds. How many that are is said before anything happens. */
import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { call, type Input } from "../../data/api.ts";
import { dryRun } from "../book/dry-run.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { undoOf } from "../../data/undo/undo.ts";
import { notify } from "../../ui/toast.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { type ListSpec, toQuery, useSummary } from "../book/use-row-book.ts";
import { type GridColumn, type TableShape } from "../column/column.ts";
import { BulkPreview } from "./bulk-preview.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

const AT_ONCE_MAX = 10_000;

interface BulkDialogProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly spec: ListSpec;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function BulkDialog({ table, columns, spec, onClose, onDone }: BulkDialogProps) {
  const writable = columns.filter(({ readOnly }) => readOnly === undefined);
  const [name, setName] = useState(writable[0]?.name ?? "");
  const [value, setValue] = useState<unknown>(null);
  const column = writable.find((one) => one.name === name);
  const found = useSummary(spec, null, "").data?.data.groups[0]?.count;
  const update = useMutation({
    mutationFn: (input: Input<"records.bulk_update">) => call("records.bulk_update", input),
  });
  const tooMany = found !== undefined && found > AT_ONCE_MAX;
  const isSearch = spec.q !== "";
  const { filter } = toQuery(spec);
  const body = {
    filter: JSON.parse(filter ?? "{}") as Record<string, unknown>,
    set: { [name]: value },
  };
  const key = JSON.stringify(body);
  const trial = useMutation({
    mutationFn: async () => ({
      key,
      told: await dryRun(
        "records.bulk_update",
        { params: { slug: table.slug }, body },
        new AbortController().signal,
      ),
    }),
  });
  const told = trial.data?.key === key ? trial.data.told : undefined;
  const submit = (): void => {
    if (!column || found === undefined || tooMany || isSearch) return;
    if (!told) {
      trial.mutate();
      return;
    }
    update.mutate(
      { params: { slug: table.slug }, body },
      {
        onSuccess(reply) {
          onDone();
          onClose();
          const changed = count(reply.data.updated, "record");
          notify(`${changed} changed; the others were that way already.`, undoOf(reply));
        },
      },
    );
  };
  return (
    <Dialog
      title="Change all that match"
      onClose={onClose}
      onSubmit={submit}
      footer={
        <Button
          look="main"
          type="submit"
          disabled={
            !column ||
            !found ||
            tooMany ||
            isSearch ||
            update.isPending ||
            trial.isPending ||
            told?.eventCount === 0
          }
        >
          {told ? `Change ${count(told.eventCount, "record")}` : "Try it"}
        </Button>
      }
    >
      <BulkFields {...{ writable, name, column, value, setName, setValue }} />
      <p className="muted">
        {Object.keys(spec.filter).length === 0
          ? "No filter is set: this is every record of the table that you may see."
          : "These are the records that the filter finds."}{" "}
        {found === undefined ? "" : `There are ${found.toLocaleString("en")} of them. `}
        It can be undone in one step, as long as nobody changes the same fields.
      </p>
      {tooMany && (
        <p className="field-error">
          At most {AT_ONCE_MAX.toLocaleString("en")} records are changed at once. Narrow the filter.
        </p>
      )}
      {isSearch && (
        <p className="field-error">Clear the search first: a change goes by the filter.</p>
      )}
      {told && column && <BulkPreview {...{ told, column, columns }} found={found ?? 0} />}
      {update.error && <ErrorNotice error={update.error} />}
      {trial.error && !told && <ErrorNotice error={trial.error} />}
    </Dialog>
  );
}

interface BulkFieldsProps {
  readonly writable: readonly GridColumn[];
  readonly name: string;
  readonly column: GridColumn | undefined;
  readonly value: unknown;
  readonly setName: (name: string) => void;
  readonly setValue: (value: unknown) => void;
}

function BulkFields({ writable, name, column, value, setName, setValue }: BulkFieldsProps) {
  return (
    <>
      <Field label="Column">
        {(control) => (
          <Select
            {...control}
            value={name}
            onChange={({ target }) => {
              setName(target.value);
              setValue(null);
            }}
          >
            {writable.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {column && (
        <div className="field-box">
          <span className="field-label">New value</span>
          <FieldEditor
            key={name}
            column={column}
            value={value}
            nameOf={() => undefined}
            onSave={setValue}
          />
        </div>
      )}
    </>
  );
}
