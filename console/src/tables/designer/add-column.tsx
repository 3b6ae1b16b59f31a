import type { Input } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { TableShape } from "../column/column.ts";
import { ColumnFields } from "./column-fields.tsx";
import {
  type ColumnDraft,
  draftFault,
  isComputedType,
  NEW_COLUMN,
  toNewColumn,
} from "./column-draft.ts";

interface AddColumnProps {
  readonly table: TableShape;
  readonly onClose: () => void;
}

export function AddColumn({ table, onClose }: AddColumnProps) {
  const taken = table.columns.map(({ name }) => name);
  const form = useForm("tables.update", {
    params: { slug: table.slug },
    initial: { column: NEW_COLUMN },
    toBody: ({ column }: { readonly column: ColumnDraft }) =>
      ({ addColumns: [toNewColumn(column)] }) as Input<"tables.update">["body"],
    check: ({ column }) => ({ column: draftFault(column, taken) }),
    said: "Column added.",
    onDone: onClose,
  });
  const { column } = form.values;
  return (
    <FormDialog
      // Without this, the unchanged form would count as an empty update.
      form={{ ...form, isUnchanged: false }}
      title="Add column"
      act="Add column"
      onClose={onClose}
    >
      <ColumnFields field={form.field("column")} table={table} />
      <p className="muted">
        {isComputedType(column.type)
          ? "The server computes the values when records are read."
          : "Existing records get no value. The table is locked briefly."}
      </p>
    </FormDialog>
  );
}
