import { useState } from "react";
import { type Input, useOp } from "../../data/api.ts";
import { NewTableAccess } from "../../data/notices/record-access.tsx";
import { Field } from "../../ui/field.tsx";
import { count } from "../../ui/words.ts";
import { type Import, firstMapping, mappingFault, toNewTable, toSlug } from "./import-map.ts";
import { MappingTable } from "./mapping-table.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";

type Change = Input<"imports.update">["body"];

interface ImportPlanProps {
  readonly current: Import;
  readonly onChange: (body: Change) => Promise<boolean>;
  readonly onAct: (act: "imports.check" | "imports.start") => Promise<void>;
}

const SEPARATORS: readonly (readonly [string, string])[] = [
  [",", "Comma"],
  [";", "Semicolon"],
  ["\t", "Tab"],
  ["|", "Pipe"],
];

/** The content of the file and its mapping. */
export function ImportPlan({ current, onChange, onAct }: ImportPlanProps) {
  const { table, columns, lines, check } = current;
  const tables = useOp("tables.list", { query: { limit: 200 } }).data?.data ?? [];
  // The server also returns a name for a table that it has not created yet.
  const isNew = table === null || current.newTable !== null;
  const target = isNew ? undefined : tables.find(({ slug }) => slug === table);
  const [mapping, setMapping] = useState(() => firstMapping(current));
  const [newTable, setNewTable] = useState(current.newTable ?? toNewTable(current.name));
  const [key, setKey] = useState(current.key ?? "");
  const [isSent, setSent] = useState(false);
  const typeOf = (field: string) => target?.columns.find(({ name }) => name === field)?.type;
  const into = {
    columns,
    table: isNew ? null : table,
    newTable,
    typeOf,
    fields: target?.columns ?? [],
  };
  const fault = mappingFault(mapping, into);
  const send = async (act: "imports.check" | "imports.start"): Promise<void> => {
    setSent(true);
    const isChanged = await onChange({
      mapping: [...mapping],
      ...(isNew && { newTable }),
      key: key === "" ? null : key,
    });
    // Continue only if the mapping was saved: otherwise the import would use the old one.
    if (isChanged) await onAct(act);
    setSent(false);
  };
  return (
    <>
      <FormatLine current={current} onChange={onChange} />
      {isNew && (
        <Field
          label="Name of the new table"
          help={newTable ? `API name: ${newTable.slug}` : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              className="import-name"
              value={newTable?.name ?? ""}
              maxLength={100}
              onChange={({ target: { value } }) =>
                setNewTable({ name: value, slug: toSlug(value) })
              }
            />
          )}
        </Field>
      )}
      {isNew && <NewTableAccess />}
      <MappingTable {...{ columns, mapping, target, tables }} onChange={setMapping} />
      {target && <KeyField columns={target.columns} value={key} onChange={setKey} />}
      <div className="filter-acts">
        <Button
          type="button"
          disabled={fault !== undefined || isSent}
          title={fault}
          onClick={() => void send("imports.check")}
        >
          Preview import
        </Button>
        <Button
          look="main"
          type="button"
          disabled={fault !== undefined || isSent}
          title={fault}
          onClick={() => void send("imports.start")}
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

interface KeyFieldProps {
  readonly columns: readonly {
    readonly name: string;
    readonly title: string;
    readonly unique: boolean;
  }[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** The unique column that identifies existing records to update. */
function KeyField({ columns, value, onChange }: KeyFieldProps) {
  return (
    <Field
      label="Match existing records by"
      help="Select a unique column to update existing records. Without it, every row creates a record."
    >
      {(control) => (
        <Select
          {...control}
          className="import-name"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">None (create new records)</option>
          {columns
            .filter(({ unique }) => unique)
            .map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
        </Select>
      )}
    </Field>
  );
}

/** The file format; changing it parses the file again. */
function FormatLine({ current, onChange }: Pick<ImportPlanProps, "current" | "onChange">) {
  const { format, lines, columns } = current;
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
            onChange={({ target }) => void onChange({ format: { separator: target.value } })}
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
            onChange={({ target }) => void onChange({ format: { sheet: target.value } })}
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
            onChange={({ target }) => void onChange({ format: { header: target.checked } })}
          />
          First row contains column names
        </label>
      )}
    </div>
  );
}
