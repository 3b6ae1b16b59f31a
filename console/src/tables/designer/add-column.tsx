import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { call, type Input } from "../../data/api.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import type { TableShape } from "../column/column.ts";
import { ColumnFields } from "./column-fields.tsx";
import {
  type ColumnDraft,
  draftFault,
  isComputedType,
  NEW_COLUMN,
  toNewColumn,
} from "./column-draft.ts";
import { Button } from "../../ui/form/button.tsx";

interface AddColumnProps {
  readonly table: TableShape;
  readonly onClose: () => void;
}

/** A new column, from the grid itself. */
export function AddColumn({ table, onClose }: AddColumnProps) {
  const [draft, setDraft] = useState<ColumnDraft>(NEW_COLUMN);
  const update = useMutation({
    mutationFn: (input: Input<"tables.update">) => call("tables.update", input),
  });
  const taken = table.columns.map(({ name }) => name);
  const fault = draftFault(draft, taken);
  const submit = (): void => {
    if (fault !== undefined) return;
    const body = { addColumns: [toNewColumn(draft)] } as Input<"tables.update">["body"];
    update.mutate(
      { params: { slug: table.slug }, body },
      {
        onSuccess() {
          onClose();
          notify(`The column ${draft.title} is added.`);
        },
      },
    );
  };
  return (
    <Dialog
      title="Add a column"
      onClose={onClose}
      onSubmit={submit}
      footer={
        <Button
          look="main"
          type="submit"
          disabled={fault !== undefined || update.isPending}
          title={fault}
        >
          Add
        </Button>
      }
    >
      <ColumnFields draft={draft} onChange={setDraft} table={table} />
      <p className="muted">
        {isComputedType(draft.type)
          ? "Nothing is stored: every read computes it."
          : "Records that are there stay as they are, without a value; the table is locked for a moment."}
      </p>
      {update.error && <ErrorNotice error={update.error} />}
    </Dialog>
  );
}
