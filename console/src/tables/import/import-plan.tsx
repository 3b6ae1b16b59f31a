import { useState } from "react";
import { call, type Input, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { NewTableAccess } from "../../data/notices/record-access.tsx";
import { useCommand } from "../../data/use-command.ts";
import { partOf } from "../../ui/form/binding.ts";
import { LeaveGuard } from "../../shell/form/leave-guard.tsx";
import { Button } from "../../ui/form/button.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { CheckBox, Select } from "../../ui/form/controls.tsx";
import { FormProblems } from "../../ui/form/form-parts.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { count } from "../../ui/words.ts";
import {
  type ColumnMapping,
  firstMapping,
  type Import,
  mappingFault,
  toNewTable,
  toSlug,
} from "./import-map.ts";
import { MappingTable } from "./mapping-table.tsx";

interface ImportPlanProps {
  readonly current: Import;
}

interface PlanDraft {
  readonly mapping: readonly ColumnMapping[];
  readonly newTable: Import["newTable"];
  readonly key: string | null;
}

const SEPARATORS: readonly (readonly [string, string])[] = [
  [",", "Comma"],
  [";", "Semicolon"],
  ["\t", "Tab"],
  ["|", "Pipe"],
];

/** The content of the file and its mapping. */
export function ImportPlan({ current }: ImportPlanProps) {
  const { id, table, columns, lines, check } = current;
  const params = { id };
  const tables = useOp("tables.list", { query: { limit: 200 } }).data?.data ?? [];
  // The server also returns a name for a table that it has not created yet.
  const isNew = table === null || current.newTable !== null;
  const target = isNew ? undefined : tables.find(({ slug }) => slug === table);
  const [initial] = useState(() => ({
    mapping: firstMapping(current),
    newTable: current.newTable ?? toNewTable(current.name),
    key: current.key,
  }));
  const form = useForm("imports.update", {
    params,
    initial,
    // The guessed mapping is sent too, even if it is not changed.
    fixed: {},
    toBody: ({ mapping, newTable, key }: PlanDraft) => ({
      mapping: [...mapping],
      ...(isNew && { newTable }),
      key,
    }),
  });
  const { mapping, newTable } = form.values;
  const typeOf = (field: string) => target?.columns.find(({ name }) => name === field)?.type;
  const into = {
    columns,
    table: isNew ? null : table,
    newTable,
    typeOf,
    fields: target?.columns ?? [],
  };
  const fault = mappingFault(mapping, into);
  const refusal = form.refusal ?? fault;
  return (
    <>
      <FormatLine current={current} />
      <FormProblems form={form} />
      {isNew && (
        <div className="import-name">
          <TextField
            {...partOf(form.field("newTable"), "name", NAME)}
            label="Name of the new table"
            help={newTable ? `API name: ${newTable.slug}` : undefined}
            onChange={(name) =>
              form.change({ newTable: { name: name ?? "", slug: toSlug(name ?? "") } })
            }
          />
        </div>
      )}
      {isNew && <NewTableAccess />}
      <MappingTable
        {...{ columns, mapping, target, tables }}
        onChange={(next) => form.change({ mapping: next })}
      />
      {target && (
        <div className="import-name">
          <SelectField
            {...form.field("key")}
            label="Match existing records by"
            help="Select a unique column to update existing records. Without it, every row creates a record."
            isRequired
            none="None (create new records)"
            options={target.columns
              .filter(({ unique }) => unique)
              .map(({ name, title }) => [name, title] as const)}
          />
        </div>
      )}
      <LeaveGuard form={form} />
      <div className="filter-acts">
        <Button
          type="button"
          refusal={refusal}
          disabled={form.isBusy}
          onClick={() => form.submitThen(() => call("imports.check", { params }))}
        >
          Preview import
        </Button>
        <Button
          look="main"
          type="button"
          refusal={refusal}
          disabled={form.isBusy}
          onClick={() => form.submitThen(() => call("imports.start", { params }))}
        >
          Import {lines === null ? "file" : count(lines, "row")}
        </Button>
        {fault !== undefined && <span className="field-error">{fault}</span>}
      </div>
      {check && (
        <p role="status">
          The import will create {count(check.created, "record")}, update{" "}
          {check.updated.toLocaleString("en")}and skip{" "}
          <strong>{count(check.invalid, "row")}</strong>. Nothing is imported yet.
        </p>
      )}
    </>
  );
}

const NAME = { required: true, maxLength: 100 };

/** The file format; changing it parses the file again. */
function FormatLine({ current }: ImportPlanProps) {
  const { id, format, lines, columns } = current;
  const { run, isBusy } = useCommand("imports.update");
  const change = (
    next: NonNullable<NonNullable<Input<"imports.update">["body"]>["format"]>,
  ): void => void run({ params: { id }, body: { format: next } });
  if (!format) return null;
  return (
    <div className="import-format">
      <span>
        {format.type.toUpperCase()}
        {format.encoding !== null && `, ${format.encoding}`}: {count(lines ?? 0, "row")},{" "}
        {count(columns.length, "column")}
      </span>
      {format.type === "csv" && (
        <label>
          <span className="muted">Separator</span>
          <Select
            value={format.separator ?? ","}
            disabled={isBusy}
            onChange={({ target }) => change({ separator: target.value })}
          >
            {SEPARATORS.map(([sign, words]) => (
              <option key={sign} value={sign}>
                {words}
              </option>
            ))}
          </Select>
        </label>
      )}
      {format.sheets.length > 1 && (
        <label>
          <span className="muted">Sheet</span>
          <Select
            value={format.sheet ?? ""}
            disabled={isBusy}
            onChange={({ target }) => change({ sheet: target.value })}
          >
            {format.sheets.map((sheet) => (
              <option key={sheet}>{sheet}</option>
            ))}
          </Select>
        </label>
      )}
      {format.type !== "json" && (
        <label className="check-line">
          <CheckBox
            checked={format.header}
            disabled={isBusy}
            onChange={({ target }) => change({ header: target.checked })}
          />
          First row contains column names
        </label>
      )}
    </div>
  );
}
