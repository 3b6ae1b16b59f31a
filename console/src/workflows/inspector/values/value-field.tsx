/** Controls of values that expressions may make: a text, a number, an object by its fields or as JSON. */
import { useState } from "react";
import {
  ExpressionField,
  type ExpressionMode,
  parseValue,
  type ScopeSource,
  spellValue,
} from "../../../code/index.ts";
import { Control, type FieldProps, isFields, MapRows } from "../../../form/index.ts";

interface ValueFieldProps {
  readonly field: FieldProps;
  readonly sources: readonly ScopeSource[];
}

export const isTemplateText = (value: unknown): value is string =>
  typeof value === "string" && value.includes("{{");

/** A text in which `{{ }}` may stand, or an expression as a whole. */
export function TextExpression({
  field,
  sources,
  mode,
  isSingleLine = false,
}: ValueFieldProps & { readonly mode: ExpressionMode; readonly isSingleLine?: boolean }) {
  const { value, schema } = field;
  return (
    <ExpressionField
      value={typeof value === "string" ? value : value === undefined ? "" : spellValue(value)}
      label={field.label}
      mode={mode}
      sources={sources}
      isSingleLine={isSingleLine}
      isReadOnly={field.isDisabled}
      isInvalid={field.error !== undefined}
      description={field.error}
      hint={schema["x-placeholder"]}
      onChange={(next) => field.onChange(next === "" ? undefined : next)}
    />
  );
}

/** A number or a choice, or by `fx` an expression that gives it. */
export function SwitchField({ field, sources }: ValueFieldProps) {
  const { value, onChange } = field;
  const isExpression = isTemplateText(value);
  const turn = (): void => {
    if (!isExpression) return onChange(`{{ ${value === undefined ? "" : JSON.stringify(value)} }}`);
    const plain = parseValue(value.replaceAll(/^\s*\{\{|\}\}\s*$/g, "").trim());
    onChange(typeof plain === "number" || typeof plain === "boolean" ? plain : undefined);
  };
  return (
    <div className="switch-field">
      {isExpression ? (
        <TextExpression field={field} sources={sources} mode="template" isSingleLine />
      ) : (
        <Control {...field} />
      )}
      <button
        type="button"
        className="btn bare icon fx"
        aria-pressed={isExpression}
        aria-label={`fx: ${field.label} by an expression`}
        title={isExpression ? "As a plain value" : "By an expression"}
        disabled={field.isDisabled}
        onClick={turn}
      >
        fx
      </button>
    </div>
  );
}

/** A value of any type in one field: text as it is, all else as JSON. */
export function AnyValue({ field, sources }: ValueFieldProps) {
  const { value, onChange } = field;
  const isStructure = typeof value === "object" && value !== null;
  return (
    <ExpressionField
      value={spellValue(value)}
      label={field.label}
      mode={isStructure ? "json-template" : "template"}
      sources={sources}
      isReadOnly={field.isDisabled}
      isInvalid={field.error !== undefined}
      description={field.error}
      hint="text, {{ expression }} or 5"
      onChange={(text) => onChange(parseValue(text) ?? "")}
    />
  );
}

/** An object by its fields, or anything as JSON, whichever one wants; what does not fit into fields is JSON. */
export function ObjectValue({
  field,
  sources,
  isAny,
}: ValueFieldProps & { readonly isAny: boolean }) {
  const { value } = field;
  const fits = value === undefined || isFields(value);
  const [picked, setPicked] = useState<"fields" | "json">();
  const way = fits ? (picked ?? (isDeep(value) ? "json" : "fields")) : "json";
  return (
    <div className="object-value">
      <div className="object-ways" role="group" aria-label={`${field.label} as`}>
        {(["fields", "json"] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={way === one}
            disabled={one === "fields" && !fits}
            title={one === "fields" && !fits ? "It is no object of fields." : undefined}
            onClick={() => setPicked(one)}
          >
            {one === "fields" ? "Fields" : "JSON"}
          </button>
        ))}
      </div>
      {way === "fields" ? (
        <MapRows {...field} />
      ) : (
        <JsonValue field={field} sources={sources} isAny={isAny} />
      )}
    </div>
  );
}

const isDeep = (value: unknown): boolean =>
  isFields(value) &&
  Object.values(value).some(
    (own) => typeof own === "object" && own !== null && Object.keys(own).length > 0,
  );

/** JSON while it is written is no JSON yet: the text stands, and the value waits for it. */
function JsonValue({ field, sources, isAny }: ValueFieldProps & { readonly isAny: boolean }) {
  const { value, onChange } = field;
  const [draft, setDraft] = useState<string>();
  const [example] = field.schema.examples ?? [];
  const read = (text: string): unknown => {
    const next = parseValue(text);
    return isAny || typeof next !== "string" || isTemplateText(next) ? next : NOT_YET;
  };
  const isWaiting = draft !== undefined && read(draft) === NOT_YET;
  const isOwn = draft !== undefined && (isWaiting || isSame(read(draft), value));
  return (
    <>
      <ExpressionField
        value={isOwn ? draft : spellValue(value)}
        label={field.label}
        mode="json-template"
        sources={sources}
        isReadOnly={field.isDisabled}
        isInvalid={field.error !== undefined || isWaiting}
        description={isWaiting ? "Not JSON yet" : field.error}
        hint={example === undefined ? undefined : JSON.stringify(example)}
        onChange={(text) => {
          setDraft(text);
          const next = read(text);
          if (next !== NOT_YET) onChange(next);
        }}
      />
      {isWaiting && (
        <p className="form-error" data-unfinished={field.label}>
          Not JSON yet, so not kept
        </p>
      )}
    </>
  );
}

const NOT_YET = Symbol("text that is no JSON yet");

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
