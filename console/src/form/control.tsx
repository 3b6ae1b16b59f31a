/** Controls for single values: text, number, date, secret, choice and JSON. */
import { useState } from "react";
import { CodeEditor, spellValue } from "../code/index.ts";
import type { FieldProps } from "./context.ts";
import { isDuration, UNITS, unitOf } from "./duration.ts";
import { Unfinished } from "./validity.tsx";
import { kindOf, optionsOf, type Schema, typeOf } from "./schema.ts";
import { Select, TextArea, TextInput } from "../ui/form/controls.tsx";

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "datetime-local",
  time: "time",
  email: "email",
  uri: "url",
  url: "url",
};
const STEP = 1;
const LARGE_STEP = 10;

export function Control(props: FieldProps) {
  const kind = kindOf(props.schema);
  if (kind === "choice") return <Choice {...props} />;
  if (isDuration(props.at, props.schema)) return <DurationInput {...props} />;
  if (kind === "number") return <NumberInput {...props} />;
  if (kind === "json") return <JsonInput {...props} />;
  if (kind !== "area") return <TextLine {...props} />;
  return (
    <TextArea
      {...attributesOf(props)}
      isBare
      rows={3}
      value={textOf(props.value)}
      placeholder={hintOf(props.schema)}
      maxLength={props.schema.maxLength}
      onChange={({ target }) => props.onChange(target.value || undefined)}
    />
  );
}

function attributesOf({ id, error, describedBy, isRequired, isDisabled }: FieldProps) {
  return {
    id,
    className: "field",
    disabled: isDisabled,
    "aria-invalid": error === undefined ? undefined : true,
    "aria-describedby": describedBy,
    "aria-required": isRequired || undefined,
  } as const;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function hintOf(schema: Schema): string | undefined {
  const { default: value, examples } = schema;
  const [example] = examples ?? [];
  const shown = schema["x-placeholder"] ?? value ?? example;
  return typeof shown === "object" || shown === undefined ? undefined : textOf(shown);
}

function TextLine(props: FieldProps) {
  const { schema, value, onChange } = props;
  const isSecret = schema["x-secret"] === true || schema.writeOnly === true;
  const type = INPUT_TYPES[schema.format ?? ""] ?? (isSecret ? "password" : "text");
  const isMoment = type === "datetime-local";
  const text = textOf(value);
  return (
    <TextInput
      {...attributesOf(props)}
      isBare
      type={type}
      value={isMoment ? toLocalMoment(text) : text}
      placeholder={hintOf(schema)}
      autoComplete={isSecret ? "new-password" : "off"}
      maxLength={schema.maxLength}
      onChange={({ target }) => {
        if (target.value === "") onChange(undefined);
        else onChange(isMoment ? new Date(target.value).toISOString() : target.value);
      }}
    />
  );
}

/** Formats a timestamp for a `datetime-local` input, in the user's time zone. */
function toLocalMoment(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return "";
  const offsetMs = at.getTimezoneOffset() * 60_000;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, 16);
}

function Choice(props: FieldProps) {
  const { schema, value, isRequired, onChange } = props;
  const options = optionsOf(schema) ?? [];
  const chosen = options.findIndex((option) => option.value === value);
  const initial = options.find((option) => option.value === schema.default)?.label;
  const none = initial === undefined ? (isRequired ? "Select…" : "–") : `Default: ${initial}`;
  return (
    <Select
      {...attributesOf(props)}
      isBare
      value={String(chosen)}
      onChange={({ target }) => onChange(options[Number(target.value)]?.value)}
    >
      <option value="-1">{none}</option>
      {options.map(({ label }, n) => (
        <option key={label} value={n}>
          {label}
        </option>
      ))}
    </Select>
  );
}

const readNumber = (typed: string): number => Number(typed.replace(",", "."));

/** A number input that keeps invalid text: `type=number` would return "" for `12,` and lose it. */
function NumberInput(props: FieldProps) {
  const { schema, value, onChange } = props;
  const [typed, setTyped] = useState(textOf(value));
  const isOther = value !== undefined && readNumber(typed) !== value;
  const text =
    isOther || (value === undefined && Number.isFinite(readNumber(typed))) ? textOf(value) : typed;
  const isWrong = text !== "" && !Number.isFinite(readNumber(text));
  const turn = (by: number): void => {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    const next = Math.min(maximum, Math.max(minimum, (readNumber(text) || 0) + by));
    setTyped(String(next));
    onChange(next);
  };
  return (
    <span className="form-number">
      <TextInput
        {...attributesOf(props)}
        {...(isWrong && { "aria-invalid": true })}
        isBare
        inputMode={typeOf(schema) === "integer" ? "numeric" : "decimal"}
        value={text}
        placeholder={hintOf(schema)}
        autoComplete="off"
        onKeyDown={(event) => {
          const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (sign === undefined || event.altKey) return;
          event.preventDefault();
          turn(sign * (event.shiftKey ? LARGE_STEP : STEP));
        }}
        onChange={({ target }) => {
          setTyped(target.value);
          const next = readNumber(target.value);
          if (target.value.trim() === "") onChange(undefined);
          else if (Number.isFinite(next)) onChange(next);
        }}
      />
      {schema["x-unit"] && <span className="form-unit">{schema["x-unit"]}</span>}
      {isWrong && (
        <span className="form-error">
          is not a number
          <Unfinished problem={`“${props.label}” is not a number.`} />
        </span>
      )}
    </span>
  );
}

/** A duration in a selected unit, or in the largest unit that divides it. */
function DurationInput(props: FieldProps) {
  const { schema, value, label, isDisabled, onChange } = props;
  const [chosen, setChosen] = useState<number>();
  const unit = chosen ?? unitOf(value);
  const { minimum, maximum, ...rest } = schema;
  const scaled: Schema = {
    ...rest,
    ...(minimum !== undefined && { minimum: Math.ceil(minimum / unit) }),
    ...(maximum !== undefined && { maximum: Math.floor(maximum / unit) }),
  };
  return (
    <span className="row form-duration">
      <NumberInput
        {...props}
        key={unit}
        schema={scaled}
        value={typeof value === "number" ? value / unit : value}
        onChange={(next) => {
          setChosen(unit);
          onChange(typeof next === "number" ? Math.round(next * unit) : next);
        }}
      />
      <Select
        aria-label={`Unit of ${label}`}
        disabled={isDisabled}
        value={unit}
        onChange={({ target }) => {
          const next = Number(target.value);
          setChosen(next);
          // Changing the unit keeps the number and changes the duration.
          if (typeof value === "number") onChange(Math.round((value / unit) * next));
        }}
      >
        {UNITS.map(({ name, ms }) => (
          <option key={name} value={ms}>
            {name}
          </option>
        ))}
      </Select>
    </span>
  );
}

function JsonInput({ value, label, error, isDisabled, onChange, schema }: FieldProps) {
  const [typed, setTyped] = useState<string>();
  const takesText = [undefined, "string"].includes(typeOf(schema));
  // During editing, the typed text is kept; a value from outside replaces it.
  const read = typed === undefined ? undefined : readJson(typed, takesText);
  const isOwn = read !== undefined && ("problem" in read || isSameJson(read.value, value));
  const problem = isOwn && "problem" in read ? read.problem : undefined;
  const shown = value === "" ? "" : takesText ? spellValue(value) : spellJson(value);
  const [example] = schema.examples ?? [];
  return (
    <>
      <CodeEditor
        value={isOwn ? (typed ?? "") : shown}
        label={label}
        language="json"
        isReadOnly={isDisabled}
        isInvalid={error !== undefined || problem !== undefined}
        description={error ?? problem}
        hint={example === undefined ? undefined : JSON.stringify(example)}
        onChange={(next) => {
          setTyped(next);
          const found = readJson(next, takesText);
          if (!("problem" in found)) onChange(found.value);
        }}
      />
      {problem !== undefined && (
        <p className="form-error" data-unfinished={label}>
          {problem}
          <Unfinished problem={`“${label}” is not valid JSON.`} />
        </p>
      )}
    </>
  );
}

/**
 * Parses JSON, or accepts unquoted text if any value is allowed. Text that starts like a list or object must be
 * valid JSON.
 */
function readJson(
  text: string,
  takesText: boolean,
): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (failure) {
    if (takesText && !/^\s*[[{]/.test(text)) return { value: text };
    return { problem: failure instanceof Error ? failure.message : String(failure) };
  }
}

const spellJson = (value: unknown): string =>
  value === undefined ? "" : JSON.stringify(value, undefined, 2);

const isSameJson = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a ?? "") === JSON.stringify(b ?? "");
