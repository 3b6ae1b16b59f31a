/** Property controls: bindings with completion and preview, pickers for existing resources, and lists of options. */
import { useState } from "react";
import { type FieldProps, fieldKindOf } from "../../form/index.ts";
import { useOp } from "../../data/api.ts";
import { ActionField } from "./action-field.tsx";
import type { FieldContext } from "./field-context.ts";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";
import {
  AnyValue,
  ObjectValue,
  ReferencePicker,
  SwitchField,
  TextExpression,
} from "../../workflows/index.ts";
import { TextArea, TextInput } from "../../ui/form/controls.tsx";

/** Undefined uses the default form field. */
export function drawProperty(field: FieldProps, ctx: FieldContext) {
  const { schema, value, at } = field;
  const kind = fieldKindOf(schema);
  const name = at.slice(at.lastIndexOf("/") + 1);
  if (name === "dataSource") return <Pick field={field} options={ctx.data.map(toOption)} />;
  const reference = schema["x-reference"];
  if (reference === "field")
    return <Pick field={field} options={ctx.fields.map(toFieldOption(ctx.titleOf))} isFree />;
  if (reference === "page") {
    const pages = ctx.pages.map(({ path, title }) => ({ value: path, label: title, group: path }));
    return <Pick field={field} options={pages} isFree />;
  }
  if (reference === "query" || reference === "report")
    return <SavedPick field={field} kind={reference} />;
  if (reference !== undefined) {
    const picker = <ReferencePicker kind={reference} field={field} beside={ctx.beside} />;
    if (!schema["x-template"]) return picker;
    return <SwitchField field={field} sources={ctx.sources} plain={picker} />;
  }
  if (name === "accent") return <Colour field={field} />;
  if (name === "visible") {
    const shown = value === true ? undefined : value === false ? "{{ false }}" : value;
    return (
      <TextExpression
        field={{ ...field, value: shown, schema: { ...schema, "x-placeholder": "always" } }}
        sources={ctx.sources}
        mode="template"
        isSingleLine
      />
    );
  }
  if (name === "options" || (name === "columns" && kind === "variant"))
    return <Options field={field} ctx={ctx} />;
  if (ACTIONS.has(name)) return <ActionField field={field} ctx={ctx} />;
  if (kind === "list" && (schema.items?.type === "string" || name === "is"))
    return <Lines field={field} />;
  if (!schema["x-template"]) return undefined;
  if (kind === "map") return <ObjectValue field={field} sources={ctx.sources} isAny={false} />;
  if (kind === "json") return <AnyValue field={field} sources={ctx.sources} />;
  if (kind === "text" || kind === "area") {
    const isLong = name === "text" || name === "description";
    return (
      <TextExpression field={field} sources={ctx.sources} mode="template" isSingleLine={!isLong} />
    );
  }
  return undefined;
}

const ACTIONS: ReadonlySet<string> = new Set(["action", "submit", "rowAction"]);

const toOption = (value: string): ComboOption => ({ value, label: value });

const toFieldOption =
  (titleOf: FieldContext["titleOf"]) =>
  (name: string): ComboOption => {
    const label = titleOf(name);
    return { value: name, label, ...(label !== name && { group: name }) };
  };

function Pick(props: {
  readonly field: FieldProps;
  readonly options: readonly ComboOption[];
  readonly isFree?: boolean;
  readonly isLoading?: boolean;
}) {
  const { field, options, isFree = false } = props;
  return (
    <Combobox
      id={field.id}
      label={field.label}
      options={options}
      value={typeof field.value === "string" ? field.value : undefined}
      isFree={isFree}
      isLoading={props.isLoading ?? false}
      isDisabled={field.isDisabled}
      isInvalid={field.error !== undefined}
      describedBy={field.describedBy}
      placeholder={isFree ? "Select or enter a value" : "Select…"}
      onChange={field.onChange}
    />
  );
}

function SavedPick({ field, kind }: { readonly field: FieldProps; readonly kind: string }) {
  const query = { query: { limit: 200 } };
  const reports = useOp("reports.list", query, { enabled: kind === "report" });
  const queries = useOp("queries.list", query, { enabled: kind === "query" });
  const found = kind === "report" ? reports.data?.data : queries.data?.data;
  const options = (found ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return <Pick field={field} options={options} isFree isLoading={found === undefined} />;
}

function Colour({ field }: { readonly field: FieldProps }) {
  const value = typeof field.value === "string" ? field.value : "#0b6b63";
  return (
    <span className="property-colour">
      <TextInput
        isBare
        id={field.id}
        type="color"
        value={value}
        disabled={field.isDisabled}
        onChange={({ target }) => field.onChange(target.value)}
      />
      <span className="mono">{value}</span>
    </span>
  );
}

/** One option per line: `open`, or `open = Still open`. A binding can replace the whole list. */
function Options({ field, ctx }: { readonly field: FieldProps; readonly ctx: FieldContext }) {
  const { value } = field;
  const lines = (
    <Lines
      field={{
        ...field,
        value: (Array.isArray(value) ? value : []).map(spellOption),
        onChange: (next) =>
          field.onChange(
            Array.isArray(next) ? next.map((line) => parseOption(String(line))) : undefined,
          ),
      }}
    />
  );
  return <SwitchField field={field} sources={ctx.sources} plain={lines} />;
}

function spellOption(option: unknown): string {
  if (typeof option !== "object" || option === null) return String(option);
  const { value, label } = option as { readonly value?: unknown; readonly label?: unknown };
  return `${String(value)} = ${String(label)}`;
}

function parseOption(line: string): unknown {
  const [value = "", ...label] = line.split(" = ");
  return label.length === 0 ? line : { value, label: label.join(" = ") };
}

/** A list of texts, one per line. The text is not reformatted, so that empty lines stay while typing. */
function Lines({ field }: { readonly field: FieldProps }) {
  const values = Array.isArray(field.value) ? field.value.map(String) : [];
  const [typed, setTyped] = useState<string>();
  const shown = values.join("\n");
  const isOwn = typed !== undefined && readLines(typed).join("\n") === shown;
  return (
    <TextArea
      id={field.id}
      rows={Math.min(8, Math.max(2, values.length + 1))}
      disabled={field.isDisabled}
      placeholder="One value per line"
      value={isOwn ? typed : shown}
      onChange={({ target }) => {
        setTyped(target.value);
        const next = readLines(target.value);
        field.onChange(next.length > 0 ? next : undefined);
      }}
    />
  );
}

const readLines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
