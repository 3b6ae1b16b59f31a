/** Lists and maps. Adding focuses the new item, removing focuses the previous one. */
import { Plus, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Combobox, type ComboOption } from "../ui/overlay/combobox.tsx";
import { Unfold } from "../ui/overlay/unfold.tsx";
import { type FieldProps, useForm } from "./context.ts";
import { ObjectFields } from "./object-fields.tsx";
import { escapeSegment, isFields } from "./pointer.ts";
import { followRef, kindOf, type Schema, settleSchema } from "./schema.ts";
import { Unfinished } from "./validity.tsx";
import { initialValue } from "./values.ts";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const FOCUSABLE = "input, select, textarea, .code-host";

export function List({ id, at, schema, value, label, isDisabled, onChange }: FieldProps) {
  const { root, renderField } = useForm();
  const list = useRef<HTMLOListElement>(null);
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  const reference = schema["x-reference"];
  const item: Schema = {
    ...schema.items,
    ...(reference !== undefined && { "x-reference": reference }),
  };
  const isPlain = !["object", "variant"].includes(kindOf(settleSchema(item, undefined, root)));
  const isFull = isDisabled || values.length >= (schema.maxItems ?? Infinity);
  // Titles in camel case such as `ModelMessage` are not for users.
  const isNamed = item.title !== undefined && !/[a-z][A-Z]/.test(item.title);
  const one = (isNamed ? item.title : label).toLowerCase().replace(PLURAL, "");
  const focus = (n: number): void => {
    requestAnimationFrame(() => {
      const control = list.current?.children[n]?.querySelector<HTMLElement>(FOCUSABLE);
      (control ?? document.getElementById(`${id}-add`))?.focus();
    });
  };
  const add = (): void => {
    onChange([...values, initialValue(item, root) ?? (isPlain ? "" : {})]);
    focus(values.length);
  };
  const move = (n: number, by: number): void => {
    const moved = values[n];
    if (n + by < 0 || n + by >= values.length) return;
    onChange(values.toSpliced(n, 1).toSpliced(n + by, 0, moved));
    focus(n + by);
  };
  const onKeyDown = (n: number) => (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.altKey && by !== undefined) move(n, by);
    else if (isPlain && event.key === "Enter" && !isFull && !event.defaultPrevented) add();
    else return;
    event.preventDefault();
  };
  return (
    <>
      {values.length > 0 && (
        <ol ref={list} className={isPlain ? "form-list plain" : "form-list"}>
          {values.map((own, n) => (
            <li key={n} onKeyDown={onKeyDown(n)}>
              <div className="form-item">
                {isPlain ? (
                  renderField({
                    schema: item,
                    value: own,
                    at: `${at}/${n}`,
                    name: `${label} ${n + 1}`,
                    isBare: true,
                    isKept: true,
                  })
                ) : (
                  <Folded
                    isFolded={schema["x-folded"] === true}
                    label={summaryOf(own, `${one} ${n + 1}`)}
                    isNew={isFields(own) && Object.values(own).every((part) => part === "")}
                  >
                    <ObjectFields schema={followRef(item, root)} value={own} at={`${at}/${n}`} />
                  </Folded>
                )}
              </div>
              <RemoveButton
                name={`${one} ${n + 1}`}
                isDisabled={isDisabled}
                onRemove={() => {
                  onChange(values.toSpliced(n, 1));
                  focus(Math.max(0, n - 1));
                }}
              />
            </li>
          ))}
        </ol>
      )}
      {!isFull && (
        <Button className="form-add" type="button" id={`${id}-add`} onClick={add}>
          <Plus />
          {values.length > 0 ? "Add another" : `Add ${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`}
        </Button>
      )}
      {values.length > 1 && (
        <span className="hide">Alt and arrow keys move an item up or down</span>
      )}
    </>
  );
}

/** A plural ending, also in "Labels of a row". */
const PLURAL = /s(?= (?:of|for) |$)/;

/** A collapsible list item. A new one is expanded until the user collapses it. */
function Folded(props: {
  readonly isFolded: boolean;
  readonly label: string;
  readonly isNew: boolean;
  readonly children: ReactNode;
}) {
  if (!props.isFolded) return props.children;
  return (
    <Unfold className="form-folded" isOpen={props.isNew} summary={props.label}>
      {props.children}
    </Unfold>
  );
}

/** Summarises a list item with its first text. */
function summaryOf(value: unknown, otherwise: string): string {
  const texts = isFields(value)
    ? ["label", "title", ...Object.keys(value)].map((key) => value[key])
    : [];
  const found = texts.find((text): text is string => typeof text === "string" && text !== "");
  return found ?? otherwise;
}

interface MapProps extends FieldProps {
  /** Suggested names; without them, names are typed. */
  readonly names?: readonly ComboOption[] | undefined;
}

/** Edits names and values. Only a single new row with an empty name is allowed. */
export function MapRows({ id, at, schema, value, isDisabled, onChange, names }: MapProps) {
  const { renderField } = useForm();
  const list = useRef<HTMLOListElement>(null);
  const { rows, clash, rename, put } = useMapRows(value, onChange);
  const titleOf = (name: string): string => names?.find((one) => one.value === name)?.label ?? name;
  const inner = valueSchemaOf(schema);
  const isFull = isDisabled || rows.some(([name]) => name === "");
  const add = (): void => {
    put([...rows, ["", initialValue(inner) ?? ""]]);
    requestAnimationFrame(() =>
      list.current?.lastElementChild?.querySelector<HTMLElement>("input")?.focus(),
    );
  };
  return (
    <>
      <ol ref={list} className="form-list plain map" hidden={rows.length === 0}>
        {rows.map(([name, own], n) => (
          <li key={n}>
            <NameField
              label={`Name ${n + 1}`}
              name={clash?.row === n ? clash.name : name}
              isInvalid={clash?.row === n}
              {...{ names, isDisabled }}
              onRename={(next) => rename(n, next)}
            />
            <div className="form-item">
              {renderField({
                schema: withReference(inner, schema["x-references"]?.[name]),
                value: own,
                at: `${at}/${escapeSegment(name)}`,
                name: name === "" ? "Value" : `Value of ${titleOf(name)}`,
                isBare: true,
                isKept: true,
              })}
              {clash?.row === n && (
                <span className="form-error">
                  This name is already used
                  <Unfinished problem={`The name “${clash.name}” is used twice.`} />
                </span>
              )}
            </div>
            <RemoveButton
              name={titleOf(name)}
              isDisabled={isDisabled}
              onRemove={() => {
                put(rows.toSpliced(n, 1));
                document.getElementById(`${id}-add`)?.focus();
              }}
            />
          </li>
        ))}
      </ol>
      <Button className="form-add" type="button" id={`${id}-add`} disabled={isFull} onClick={add}>
        <Plus />
        Add
      </Button>
    </>
  );
}

type MapRow = readonly [name: string, value: unknown];

/** A name that another row already has. It is shown, but not part of the value. */
interface Clash {
  readonly row: number;
  readonly name: string;
}

/** Keeps the order of the rows, because objects list numeric names first. */
function orderRows(value: unknown, order: readonly string[]): readonly MapRow[] {
  const fields = isFields(value) ? value : {};
  const names = Object.keys(fields);
  const known = order.filter((name) => Object.hasOwn(fields, name));
  const isKnown = new Set(known);
  return [...known, ...names.filter((name) => !isKnown.has(name))].map((name) => [
    name,
    fields[name],
  ]);
}

/** The entries of an object as rows, which keep their order while a name is edited. */
function useMapRows(value: unknown, onChange: (value: unknown) => void) {
  const [order, setOrder] = useState<readonly string[]>([]);
  const [clash, setClash] = useState<Clash>();
  const rows = orderRows(value, order);
  const put = (next: readonly MapRow[]): void => {
    setOrder(next.map(([name]) => name));
    setClash(undefined);
    onChange(Object.fromEntries(next));
  };
  const rename = (row: number, name: string): void => {
    if (rows.some(([other], n) => other === name && n !== row)) return setClash({ row, name });
    return put(rows.map(([old, own], n) => [n === row ? name : old, own]));
  };
  return { rows, clash, rename, put };
}

const withReference = (schema: Schema, reference: string | undefined): Schema =>
  reference === undefined ? schema : { ...schema, "x-reference": reference };

interface NameFieldProps {
  readonly label: string;
  readonly name: string;
  readonly names: readonly ComboOption[] | undefined;
  readonly isDisabled: boolean;
  readonly isInvalid: boolean;
  readonly onRename: (name: string) => void;
}

function NameField({ label, name, names, isDisabled, isInvalid, onRename }: NameFieldProps) {
  if (names)
    return (
      <Combobox
        label={label}
        options={names}
        value={name === "" ? undefined : name}
        isFree
        isDisabled={isDisabled}
        isInvalid={isInvalid}
        placeholder="Select or enter a value"
        onChange={(next) => onRename(next ?? "")}
      />
    );
  return (
    <TextInput
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      placeholder="name"
      value={name}
      disabled={isDisabled}
      onChange={({ target }) => onRename(target.value)}
    />
  );
}

function valueSchemaOf({ additionalProperties, patternProperties }: Schema): Schema {
  const [pattern] = Object.values(patternProperties ?? {});
  return pattern ?? (typeof additionalProperties === "object" ? additionalProperties : {});
}

function RemoveButton(props: {
  readonly name: string;
  readonly isDisabled: boolean;
  readonly onRemove: () => void;
}) {
  return (
    <Button
      look="bare"
      isIcon
      type="button"
      aria-label={`Remove ${props.name}`}
      title="Remove"
      disabled={props.isDisabled}
      onClick={props.onRemove}
    >
      <X />
    </Button>
  );
}
