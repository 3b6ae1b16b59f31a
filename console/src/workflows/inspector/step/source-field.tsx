import { useMemo } from "react";
import {
  CodeEditor,
  completeScript,
  placeOfError,
  resolveNames,
  type ScopeSource,
  toNames,
} from "../../../code/index.ts";
import type { FieldProps } from "../../../form/index.ts";

interface SourceFieldProps {
  readonly field: FieldProps;
  readonly sources: readonly ScopeSource[];
  /** The input of the script; by default, everything that expressions can read. */
  readonly input: unknown;
}

/** A script editor with completion for input and context. It marks the server's errors at their lines. */
export function SourceField({ field, sources, input }: SourceFieldProps) {
  const { error, isDisabled, schema } = field;
  const value = typeof field.value === "string" ? field.value : "";
  const completion = useMemo(
    () => completeScript(() => shapeInput(input, toNames(sources))),
    [input, sources],
  );
  const marks = useMemo(() => {
    const place = error === undefined ? undefined : placeOfError(value, error);
    return place ? [{ ...place, message: error ?? "" }] : [];
  }, [error, value]);
  return (
    <CodeEditor
      value={value}
      label={field.label}
      language="typescript"
      isBlock
      tab="indents"
      isReadOnly={isDisabled}
      isInvalid={error !== undefined}
      description={error ?? "Escape, then Tab leaves the field"}
      hint={schema["x-placeholder"]}
      completion={completion}
      marks={marks}
      onChange={field.onChange}
    />
  );
}

const LONE_PATH = /^\{\{\s*([\w.`[\]-]+)\s*\}\}$/;

/** Infers the script input. A template with a single expression keeps the value's type. */
function shapeInput(input: unknown, scope: Readonly<Record<string, unknown>>): unknown {
  if (input === undefined) return scope;
  if (typeof input === "string") {
    const [, path] = LONE_PATH.exec(input) ?? [];
    return path === undefined ? input : resolveNames(scope, path.split("."));
  }
  if (Array.isArray(input)) return input.map((item: unknown) => shapeInput(item, scope));
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, own]) => [name, shapeInput(own, scope)]),
  );
}
