/** A field of a record outside of the grid: saved when it is left, with what is wrong below it. */
import { useId, useState } from "react";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { choicesOf, type GridColumn, targetOf } from "../column/column.ts";
import { type NameOf, parseText, toPlain, toText } from "../column/value.ts";
import { useReferenceOptions } from "../cell/reference-options.ts";

interface FieldEditorProps {
  readonly column: GridColumn;
  readonly value: unknown;
  readonly nameOf: NameOf;
  readonly onSave: (value: unknown) => void;
  readonly disabled?: string | undefined;
}

export function FieldEditor(props: FieldEditorProps) {
  const { column, value, nameOf, disabled } = props;
  if (column.readOnly !== undefined || disabled !== undefined) {
    return (
      <div className="record-fixed" title={column.readOnly ?? disabled}>
        {toText(column, value, nameOf) || <span className="muted">Nothing</span>}
      </div>
    );
  }
  const target = targetOf(column);
  if (target !== undefined) return <ReferenceField {...props} target={target} />;
  if (column.type === "boolean") {
    return (
      <input
        type="checkbox"
        aria-label={column.name}
        checked={value === true}
        onChange={(event) => props.onSave(event.target.checked)}
      />
    );
  }
  if (column.type === "enum") {
    return (
      <select
        className="field"
        aria-label={column.name}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => props.onSave(event.target.value || null)}
      >
        {!(column.isRequired && value) && <option value="">Nothing</option>}
        {choicesOf(column).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  }
  if (column.type === "multi_enum") return <ManyField {...props} />;
  return <TextField {...props} />;
}

function ManyField({ column, value, onSave }: FieldEditorProps) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <fieldset className="choice-set">
      <legend className="sr-only">{column.name}</legend>
      {choicesOf(column).map((one) => (
        <label key={one} className={chosen.includes(one) ? "choice-pick on" : "choice-pick"}>
          <input
            type="checkbox"
            className="sr-only"
            checked={chosen.includes(one)}
            onChange={({ target }) =>
              onSave(target.checked ? [...chosen, one] : chosen.filter((each) => each !== one))
            }
          />
          {one}
        </label>
      ))}
    </fieldset>
  );
}

function ReferenceField(props: FieldEditorProps & { readonly target: string }) {
  const { options, isLoading } = useReferenceOptions(props.target, "");
  const id = typeof props.value === "string" ? props.value : undefined;
  const name = id === undefined ? undefined : props.nameOf(id);
  const isListed = options.some((one) => one.value === id);
  const listed =
    id !== undefined && !isListed ? [{ value: id, label: name ?? id }, ...options] : options;
  return (
    <Combobox
      label={props.column.name}
      options={listed}
      value={id}
      isLoading={isLoading}
      onChange={(value) => props.onSave(value ?? null)}
    />
  );
}

function TextField({ column, value, nameOf, onSave }: FieldEditorProps) {
  const id = useId();
  const shown = textOf(column, value, nameOf);
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  const leave = (): void => {
    if (draft === undefined) return;
    const parsed = parseText(column, draft);
    if ("error" in parsed) return setError(parsed.error);
    setDraft(undefined);
    setError(undefined);
    return onSave(parsed.value);
  };
  const common = {
    className: `field${column.type === "json" ? " mono" : ""}`,
    "aria-label": column.name,
    "aria-invalid": error !== undefined || undefined,
    "aria-describedby": error === undefined ? undefined : id,
    value: draft ?? shown,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setDraft(target.value),
    onBlur: leave,
  };
  const isLong =
    column.type === "json" || column.options["multiline"] === true || shown.includes("\n");
  return (
    <>
      {isLong ? (
        <textarea rows={4} {...common} />
      ) : (
        <input
          type={column.type === "date" ? "date" : "text"}
          {...common}
          onKeyDown={({ key }) => {
            if (key === "Enter") leave();
          }}
        />
      )}
      {error !== undefined && (
        <p id={id} className="field-error">
          {error}
        </p>
      )}
    </>
  );
}

function textOf(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "";
  if (column.type === "json") return JSON.stringify(value, null, 2);
  if (column.type === "timestamp") return toText(column, value, nameOf);
  return toPlain(column, value, nameOf);
}
