/** A field of a record outside the grid: saved on blur, with its error below. */
import { X } from "lucide-react";
import { useId, useState } from "react";
import { useOp } from "../../data/api.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import {
  choicesOf,
  type GridColumn,
  isComputed,
  isFiles,
  linkTargetOf,
  targetOf,
} from "../column/column.ts";
import { nameIn, type NameOf, parseText, toPlain, toText } from "../column/value.ts";
import { FilesField } from "./files-field.tsx";
import { useReferenceSearch } from "../cell/reference-options.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface FieldEditorProps {
  readonly column: GridColumn;
  readonly value: unknown;
  readonly nameOf: NameOf;
  readonly onSave: (value: unknown) => void;
  readonly disabled?: string | undefined;
}

export function FieldEditor(props: FieldEditorProps) {
  const { column, value, nameOf, disabled } = props;
  if (isFiles(column))
    return <FilesField {...{ column, value, onSave: props.onSave }} disabled={disabled} />;
  if (column.readOnly !== undefined || disabled !== undefined) {
    return (
      <div className="record-fixed" title={column.readOnly ?? disabled}>
        {toText(column, value, nameOf) || <span className="muted">Empty</span>}
        {isComputed(column) && <small className="muted record-source">{column.readOnly}</small>}
      </div>
    );
  }
  if (linkTargetOf(column) !== undefined) return <LinksField {...props} />;
  const target = targetOf(column);
  if (target !== undefined) return <ReferenceField {...props} target={target} />;
  if (column.type === "boolean") {
    return (
      <CheckBox
        aria-label={column.title}
        checked={value === true}
        onChange={(event) => props.onSave(event.target.checked)}
      />
    );
  }
  if (column.type === "enum") {
    return (
      <Select
        aria-label={column.title}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => props.onSave(event.target.value || null)}
      >
        {!(column.isRequired && value) && <option value="">None</option>}
        {choicesOf(column).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    );
  }
  if (column.type === "multi_enum") return <ManyField {...props} />;
  return <TextField {...props} />;
}

function ManyField({ column, value, onSave }: FieldEditorProps) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <fieldset className="choice-set">
      <legend className="sr-only">{column.title}</legend>
      {choicesOf(column).map((one) => (
        <label key={one} className={chosen.includes(one) ? "choice-pick on" : "choice-pick"}>
          <CheckBox
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
  const found = useReferenceSearch(props.target);
  const id = typeof props.value === "string" ? props.value : undefined;
  return (
    <Combobox
      label={props.column.title}
      {...found}
      value={id}
      chosen={id === undefined ? undefined : props.nameOf(id)}
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
    "aria-label": column.title,
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
        <TextArea isBare rows={4} {...common} />
      ) : (
        <TextInput
          isBare
          type={column.type === "date" ? "date" : "text"}
          {...common}
          onKeyDown={({ key }) => {
            if (key === "Enter") leave();
          }}
        />
      )}
      {draft === undefined && <AddressLink type={column.type} text={shown} />}
      {error !== undefined && (
        <p id={id} className="field-error">
          {error}
        </p>
      )}
    </>
  );
}

/** A link to the address in the cell. Script URLs are not links. */
function AddressLink({ type, text }: { readonly type: string; readonly text: string }) {
  const href = type === "email" ? `mailto:${text}` : text;
  const isLink = text !== "" && (type === "email" || (type === "url" && /^https?:/i.test(text)));
  if (!isLink) return null;
  return (
    <a className="record-address" href={href} target="_blank" rel="noreferrer noopener">
      {type === "email" ? "Send e-mail" : "Open link"}
    </a>
  );
}

function textOf(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "";
  if (column.type === "json") return JSON.stringify(value, null, 2);
  if (column.type === "timestamp") return toText(column, value, nameOf);
  return toPlain(column, value, nameOf);
}

const NAMED_MAX = 200;

/** The linked records, each with a remove button, and a field to add more. */
function LinksField({ column, value, nameOf, onSave }: FieldEditorProps) {
  const ids = Array.isArray(value) ? value.map(String) : [];
  const { options, search } = useReferenceSearch(linkTargetOf(column) ?? "");
  const target = linkTargetOf(column) ?? "";
  const filter = JSON.stringify({ id: { in: ids.slice(0, NAMED_MAX) } });
  const linked = useOp(
    "records.list",
    { params: { slug: target }, query: { filter, limit: NAMED_MAX } },
    { enabled: ids.length > 0 },
  ).data?.data;
  const known = new Map(linked?.map((record) => [record.id, nameIn(record) ?? record.id]));
  return (
    <div className="record-links">
      <ul className="choice-set">
        {ids.map((id) => {
          const name = nameOf(id) ?? known.get(id) ?? id;
          return (
            <li key={id} className="choice-pick on">
              {name}
              <Button
                look="bare"
                isIcon
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => onSave(ids.filter((one) => one !== id))}
              >
                <X />
              </Button>
            </li>
          );
        })}
      </ul>
      <Combobox
        label={`Link record: ${column.title}`}
        placeholder="Link a record…"
        options={options.filter((one) => !ids.includes(one.value))}
        search={search}
        value={undefined}
        onChange={(id) => id !== undefined && onSave([...ids, id])}
      />
    </div>
  );
}
