/** Controls for values with expressions: text, number, or object as fields or JSON. */
import { type ReactNode, useState } from "react";
import {
  ExpressionField,
  type ExpressionMode,
  parseValue,
  type ScopeSource,
  spellValue,
} from "../../../code/index.ts";
import { useColumnOptions } from "../../../data/options/column-options.ts";
import {
  type FieldProps,
  isFields,
  MapRows,
  matchesSchema,
  PlainControl,
} from "../../../form/index.ts";
import type { ComboOption } from "../../../ui/overlay/combobox.tsx";
import { Button, PlainButton } from "../../../ui/form/button.tsx";

interface ValueFieldProps {
  readonly field: FieldProps;
  readonly sources: readonly ScopeSource[];
}

export const isTemplateText = (value: unknown): value is string =>
  typeof value === "string" && value.includes("{{");

/** A text that can contain `{{ }}`, or a single expression. */
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

/**
 * A plain control, or an expression after a click on `fx`. Typing never switches between the two, and each keeps
 * its own last content.
 */
export function SwitchField(props: ValueFieldProps & { readonly plain?: ReactNode }) {
  const { field, sources, plain = <PlainControl {...field} /> } = props;
  const { value, onChange, schema } = field;
  const [isPicked, setPicked] = useState(() => isTemplateText(value));
  const [kept, setKept] = useState<{ readonly plain?: unknown; readonly text?: string }>({});
  const isExpression = isTemplateText(value) || isPicked;
  const turn = (): void => {
    setPicked(!isExpression);
    if (isExpression) {
      const text = typeof value === "string" ? value : "";
      setKept({ ...kept, text });
      onChange(kept.plain ?? plainOf(text, schema));
      return;
    }
    setKept({ ...kept, plain: value });
    onChange(kept.text || spellTemplate(value) || undefined);
  };
  const write = (next: unknown): void => {
    setPicked(true);
    onChange(next);
  };
  return (
    <div className="switch-field">
      {isExpression ? (
        <TextExpression
          field={{ ...field, onChange: write }}
          sources={sources}
          mode="template"
          isSingleLine
        />
      ) : (
        plain
      )}
      <Button
        look="bare"
        isIcon
        className="fx"
        type="button"
        aria-pressed={isExpression}
        aria-label={`fx: expression for ${field.label}`}
        title={isExpression ? "Use fixed value" : "Use expression"}
        disabled={field.isDisabled}
        onClick={turn}
      >
        fx
      </Button>
    </div>
  );
}

/** Converts a value to template text. */
function spellTemplate(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : `{{ ${JSON.stringify(value)} }}`;
}

/** Returns the literal value if the text has no expressions or is valid JSON for the schema. */
function plainOf(text: string, schema: FieldProps["schema"]): unknown {
  const inner = text.replaceAll(/^\s*\{\{|\}\}\s*$/g, "").trim();
  const value = isTemplateText(text) ? parseValue(inner) : text;
  const isName = isTemplateText(text) && typeof value === "string";
  return value !== "" && !isName && matchesSchema(schema, value, schema) ? value : undefined;
}

/** Edits a value of any type in one field: strings unquoted, others as JSON. The typed text is not reformatted. */
export function AnyValue({ field, sources }: ValueFieldProps) {
  const { value, onChange } = field;
  const [typed, setTyped] = useState<string>();
  const isStructure = typeof value === "object" && value !== null;
  const isOwn = typed !== undefined && isSame(readAny(typed), value ?? "");
  return (
    <ExpressionField
      value={isOwn ? typed : spellAny(value)}
      label={field.label}
      mode={isStructure ? "json-template" : "template"}
      sources={sources}
      isReadOnly={field.isDisabled}
      isInvalid={field.error !== undefined}
      description={field.error}
      hint="text, {{ expression }} or 5"
      onChange={(text) => {
        setTyped(text);
        onChange(readAny(text));
      }}
    />
  );
}

/** Empty input is an empty text, because the field of a new value starts empty. */
const readAny = (text: string): unknown => parseValue(text) ?? text;
const spellAny = (value: unknown): string => (value === "" ? "" : spellValue(value));

export function ColumnValues(props: ValueFieldProps & { readonly table: unknown }) {
  const { table, ...rest } = props;
  const isNamed = typeof table === "string" && !isTemplateText(table);
  const { options } = useColumnOptions(isNamed ? table : undefined);
  return <ObjectValue {...rest} isAny={false} names={options.length > 0 ? options : undefined} />;
}

interface ObjectValueProps extends ValueFieldProps {
  readonly isAny: boolean;
  /** The known field names, for completion. */
  readonly names?: readonly ComboOption[] | undefined;
}

/** Edits an object as fields, or any value as JSON. Values not matching the fields are shown as JSON. */
export function ObjectValue({ field, sources, isAny, names }: ObjectValueProps) {
  const { value } = field;
  const fits = value === undefined || isFields(value);
  // Set once: a value may become nested while the user types, and its control must not change then.
  const [picked, setPicked] = useState<"fields" | "json">(() =>
    fits && !isDeep(value) ? "fields" : "json",
  );
  const way = fits ? picked : "json";
  const keepJson = (next: unknown): void => {
    setPicked("json");
    field.onChange(next);
  };
  return (
    <div className="object-value">
      <div className="object-ways" role="group" aria-label={`${field.label} as`}>
        {(["fields", "json"] as const).map((one) => (
          <PlainButton
            key={one}
            type="button"
            aria-pressed={way === one}
            disabled={one === "fields" && !fits}
            title={
              one === "fields" && !fits ? "The value is not a JSON object with fields." : undefined
            }
            onClick={() => setPicked(one)}
          >
            {one === "fields" ? "Fields" : "JSON"}
          </PlainButton>
        ))}
      </div>
      {way === "fields" ? (
        <MapRows {...field} names={names} />
      ) : (
        <JsonValue field={{ ...field, onChange: keepJson }} sources={sources} isAny={isAny} />
      )}
    </div>
  );
}

const isDeep = (value: unknown): boolean =>
  isFields(value) &&
  Object.values(value).some(
    (own) => typeof own === "object" && own !== null && Object.keys(own).length > 0,
  );

/** Incomplete JSON stays in the field, and the value changes only when the text is valid. */
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
        description={isWaiting ? "Not valid JSON" : field.error}
        hint={example === undefined ? undefined : JSON.stringify(example)}
        onChange={(text) => {
          setDraft(text);
          const next = read(text);
          if (next !== NOT_YET) onChange(next);
        }}
      />
      {isWaiting && (
        <p className="form-error" data-unfinished={field.label}>
          Not valid JSON: the change is not saved
        </p>
      )}
    </>
  );
}

const NOT_YET = Symbol("invalid JSON");

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
