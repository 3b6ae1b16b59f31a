/**
 * The text editor of a cell. It starts with the typed character, shows parse errors, and closes on Enter, Tab or
 * blur.
 */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useFloat } from "../../ui/overlay/placement.ts";
import { choicesOf, type GridColumn, linkTargetOf, targetOf } from "../column/column.ts";
import { asText, type NameOf, parseText, toPlain } from "../column/value.ts";
import { ChoiceList } from "./choice-list.tsx";
import type { ChoiceOption, Leave } from "./choice-option.ts";
import { useReferenceOptions } from "./reference-options.ts";
import { TextArea, TextInput } from "../../ui/form/controls.tsx";

export interface EditorProps {
  readonly column: GridColumn;
  readonly value: unknown;
  /** The typed text that started the edit; undefined starts with the current value. */
  readonly typed: string | undefined;
  readonly nameOf: NameOf;
  readonly onSave: (value: unknown, leave: Leave) => void;
  readonly onCancel: () => void;
}

export function CellEditor(props: EditorProps) {
  const { column } = props;
  if (column.type === "enum" || column.type === "multi_enum") return <ChoiceEditor {...props} />;
  if (targetOf(column) !== undefined) return <ReferenceEditor {...props} />;
  if (linkTargetOf(column) !== undefined) return <LinksEditor {...props} />;
  return <TextEditor {...props} />;
}

function leaveBy({ key, shiftKey }: KeyboardEvent): Leave | undefined {
  if (key === "Enter") return shiftKey ? "up" : "down";
  if (key === "Tab") return shiftKey ? "left" : "right";
  return undefined;
}

function TextEditor({ column, value, typed, nameOf, onSave, onCancel }: EditorProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const about = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(() => typed ?? editableText(column, value, nameOf));
  const [error, setError] = useState<string>();
  const isDone = useRef(false);
  useFloat(field, about, error !== undefined, {});
  useEffect(() => {
    const { current } = field;
    current?.focus();
    // Native date inputs have no text caret.
    if (!current || current.type === "date" || current.type === "datetime-local") return;
    if (typed === undefined) current.select();
    else current.setSelectionRange(current.value.length, current.value.length);
  }, [typed]);
  const save = (leave: Leave): void => {
    if (isDone.current) return;
    const parsed = parseText(column, text);
    if ("error" in parsed) return setError(parsed.error);
    isDone.current = true;
    return onSave(parsed.value, leave);
  };
  const common = {
    ref: field,
    "aria-label": column.title,
    "aria-invalid": error !== undefined || undefined,
    "aria-describedby": error === undefined ? undefined : id,
    value: text,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setText(target.value);
      setError(undefined);
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      event.stopPropagation();
      if (event.key === "Escape") {
        isDone.current = true;
        return onCancel();
      }
      // Alt+Enter inserts a line break, as in spreadsheets.
      if (event.key === "Enter" && (event.altKey || event.nativeEvent.isComposing)) {
        if (event.altKey) setText((old) => `${old}\n`);
        return undefined;
      }
      const leave = leaveBy(event);
      if (!leave) return undefined;
      event.preventDefault();
      return save(leave);
    },
    onBlur: () => {
      if (isDone.current) return;
      const parsed = parseText(column, text);
      // Invalid input is discarded on blur.
      if ("error" in parsed) onCancel();
      else save("stay");
    },
  };
  const isLong = column.type === "json" || column.options["multiline"] === true;
  return (
    <>
      {isLong || text.includes("\n") ? (
        <TextArea isBare className="cell-field long" rows={6} {...common} />
      ) : (
        <TextInput
          isBare
          className="cell-field"
          type={isPicker(column) && typed === undefined ? PICKERS[column.type] : "text"}
          step={column.type === "timestamp" ? 1 : undefined}
          {...common}
        />
      )}
      {error !== undefined && (
        <div ref={about} id={id} popover="manual" className="float cell-fault" role="alert">
          {error}
        </div>
      )}
    </>
  );
}

/** Date columns use the browser's date picker; typing into the cell opens a text field instead. */
const PICKERS: Readonly<Record<string, string>> = { date: "date", timestamp: "datetime-local" };
const isPicker = ({ type }: GridColumn): boolean => PICKERS[type] !== undefined;

function editableText(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "";
  if (column.type === "timestamp") return toLocal(asText(value));
  if (column.type === "json") return JSON.stringify(value, null, 2);
  return toPlain(column, value, nameOf);
}

/** Formats a timestamp for a `datetime-local` input, without offset. */
function toLocal(text: string): string {
  const at = new Date(text);
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

function ChoiceEditor({ column, value, typed, onSave, onCancel }: EditorProps) {
  const isMany = column.type === "multi_enum";
  const [chosen, setChosen] = useState<readonly string[]>(
    Array.isArray(value) ? value.map(String) : value === null ? [] : [asText(value)],
  );
  const options = useMemo(
    () => choicesOf(column).map((one): ChoiceOption => ({ value: one, label: one })),
    [column],
  );
  return (
    <ChoiceList
      label={column.title}
      column={column}
      options={options}
      chosen={chosen}
      typed={typed}
      mayClear={!column.isRequired}
      onPick={(picked) => {
        if (!isMany) return onSave(picked ?? null, "stay");
        if (picked === undefined) return setChosen([]);
        return setChosen((old) =>
          old.includes(picked) ? old.filter((one) => one !== picked) : [...old, picked],
        );
      }}
      onLeave={(leave) => (isMany ? onSave(chosen, leave) : onCancel())}
      onCancel={onCancel}
      isMany={isMany}
    />
  );
}

function ReferenceEditor({ column, value, typed, nameOf, onSave, onCancel }: EditorProps) {
  const [words, setWords] = useState(typed ?? "");
  const { options, isLoading } = useReferenceOptions(targetOf(column) ?? "", words);
  const id = typeof value === "string" ? value : undefined;
  const listed =
    id !== undefined && words === "" && !options.some((one) => one.value === id)
      ? [{ value: id, label: nameOf(id) ?? id }, ...options]
      : options;
  return (
    <ChoiceList
      label={column.title}
      options={listed}
      chosen={id === undefined ? [] : [id]}
      typed={typed}
      isLoading={isLoading}
      mayClear={!column.isRequired}
      onWords={setWords}
      onPick={(picked) => onSave(picked ?? null, "stay")}
      onLeave={onCancel}
      onCancel={onCancel}
    />
  );
}

function LinksEditor({ column, value, typed, nameOf, onSave, onCancel }: EditorProps) {
  const [words, setWords] = useState(typed ?? "");
  const { options, isLoading } = useReferenceOptions(linkTargetOf(column) ?? "", words);
  const [chosen, setChosen] = useState<readonly string[]>(
    Array.isArray(value) ? value.map(String) : [],
  );
  const known = new Set(options.map((one) => one.value));
  const others = words === "" ? chosen.filter((id) => !known.has(id)) : [];
  return (
    <ChoiceList
      label={column.title}
      options={[...others.map((id) => ({ value: id, label: nameOf(id) ?? id })), ...options]}
      chosen={chosen}
      typed={typed}
      isLoading={isLoading}
      mayClear={!column.isRequired}
      onWords={setWords}
      onPick={(picked) => {
        if (picked === undefined) return setChosen([]);
        return setChosen((old) =>
          old.includes(picked) ? old.filter((one) => one !== picked) : [...old, picked],
        );
      }}
      onLeave={(leave) => onSave(chosen, leave)}
      onCancel={onCancel}
      isMany
    />
  );
}
