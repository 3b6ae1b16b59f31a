import { useMemo, useState } from "react";
import type { ScopeSource } from "../../../code/index.ts";
import { type FieldProps, fieldKindOf, Form, type Schema } from "../../../form/index.ts";
import type { Step } from "../../graph/graph.ts";
import type { DefinitionProblem } from "../problems.ts";
import { DesignButton, isDesignable } from "../designer/design-button.tsx";
import { ReferencePicker } from "../reference-picker.tsx";
import { SourceField } from "./source-field.tsx";
import {
  AnyValue,
  ColumnValues,
  isTemplateText,
  ObjectValue,
  SwitchField,
  TextExpression,
} from "../values/value-field.tsx";

interface StepFormProps {
  readonly step: Step;
  readonly schema: Schema;
  readonly sources: readonly ScopeSource[];
  readonly problems: readonly DefinitionProblem[];
  readonly mayEdit: boolean;
  readonly onChange: (config: Readonly<Record<string, unknown>>, field: string) => void;
}

/** Fields that are edited elsewhere: a loop's steps on the canvas, the cases of a switch as outputs. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  loop: ["body"],
  repeat: ["body"],
  race: ["body"],
  switch: ["cases"],
};

export function StepForm({ step, schema, sources, problems, mayEdit, onChange }: StepFormProps) {
  const config = step.config ?? {};
  const names = schema["x-order"] ?? Object.keys(schema.properties ?? {});
  const shown = names.filter((name) => !ELSEWHERE[step.type]?.includes(name));
  // Computed once when the step opens: if a field moved while the user fills it in, the caret would be lost.
  const [given] = useState(() => new Set(Object.keys(config)));
  const isFirst = (name: string): boolean =>
    given.has(name) || schema.required?.includes(name) === true || shown.length <= 3;
  const rest = shown.filter((name) => !isFirst(name));
  const errors = useMemo(
    () => problems.map(({ path, message }) => ({ path: path.replace(/^\/config/, ""), message })),
    [problems],
  );
  const form = (only: readonly string[]) => (
    <Form
      schema={schema}
      value={config}
      only={only}
      errors={errors}
      hasSummary={false}
      isDense
      isDisabled={!mayEdit}
      draw={(field) =>
        step.type === "wait_for_form" && field.at === "/pages" && isDesignable(field.value) ? (
          <DesignButton field={field} form={config} />
        ) : (
          drawField(withReference(field, schema), sources, config)
        )
      }
      onChange={(next, pointer) => onChange(next as Readonly<Record<string, unknown>>, pointer)}
    />
  );
  return (
    <>
      {form(shown.filter(isFirst))}
      {rest.length > 0 && (
        <details className="inspector-more">
          <summary>More settings</summary>
          {form(rest)}
        </details>
      )}
    </>
  );
}

/** Controls with several inputs that can be replaced by an expression. */
const SWITCHED: ReadonlySet<string> = new Set(["yes", "list", "many", "variant", "object", "file"]);

/** Items of a list inherit the reference kind of the list. */
function withReference(field: FieldProps, { properties = {} }: Schema): FieldProps {
  const [, name = "", place] = /^\/([^/]+)\/(\d+)$/.exec(field.at) ?? [];
  const list = place === undefined ? undefined : properties[name];
  const reference = typeof list === "object" ? list["x-reference"] : undefined;
  if (reference === undefined) return field;
  return { ...field, schema: { ...field.schema, "x-reference": reference } };
}

/** Renders fields with expressions, templates, pickers and code; undefined uses the default form field. */
function drawField(
  field: FieldProps,
  sources: readonly ScopeSource[],
  beside: Readonly<Record<string, unknown>>,
) {
  const { schema, value } = field;
  const kind = fieldKindOf(schema);
  const isInner = field.at.lastIndexOf("/") > 0;
  if (schema["x-language"] !== undefined) {
    return <SourceField field={field} sources={sources} input={beside["input"]} />;
  }
  if (schema["x-expression"]) {
    return <TextExpression field={field} sources={sources} mode="expression" />;
  }
  const reference = schema["x-reference"];
  if (reference !== undefined && (kind === "text" || (kind === "json" && isInner))) {
    const picker = <ReferencePicker kind={reference} field={field} beside={beside} />;
    if (schema["x-literal"]) return picker;
    return <SwitchField field={field} sources={sources} plain={picker} />;
  }
  if (schema["x-literal"]) return undefined;
  if (kind === "text" || kind === "area") {
    return (
      <TextExpression
        field={field}
        sources={sources}
        mode="template"
        isSingleLine={kind === "text"}
      />
    );
  }
  if (kind === "number" || kind === "choice" || (schema["x-template"] && SWITCHED.has(kind)))
    return <SwitchField field={field} sources={sources} />;
  if (kind === "json" && isInner) return <AnyValue field={field} sources={sources} />;
  if (kind === "map" && reference === "column") {
    return <ColumnValues field={field} sources={sources} table={beside["table"]} />;
  }
  if (kind === "json" || kind === "map") {
    return <ObjectValue field={field} sources={sources} isAny={kind === "json"} />;
  }
  if (isTemplateText(value))
    return <TextExpression field={field} sources={sources} mode="template" />;
  return undefined;
}
