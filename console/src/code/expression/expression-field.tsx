import { useMemo, useRef } from "react";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { useCaret } from "../caret.ts";
import { CodeEditor } from "../code-editor.tsx";
import type { CodeHandle } from "../editor-props.ts";
import { completeExpression } from "../completion.ts";
import { type ExpressionMode, spellPath } from "../jsonata-mode.ts";
import { usePreview } from "./preview.ts";
import { type ScopeSource, toNames } from "./scope.ts";

export interface ExpressionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly mode: ExpressionMode;
  /** The available values, nearest first. Pass the same array while the values are unchanged. */
  readonly sources: readonly ScopeSource[];
  readonly hint?: string | undefined;
  readonly description?: string | undefined;
  readonly isSingleLine?: boolean;
  readonly isReadOnly?: boolean;
  readonly isInvalid?: boolean;
}

/**
 * An expression, or a text or JSON with expressions in `{{ }}`. The result is shown below without moving other
 * fields.
 */
export function ExpressionField(props: ExpressionFieldProps) {
  const { value, label, mode, sources } = props;
  const handle = useRef<CodeHandle>(null);
  const { onFocus } = useCaret();
  const { text, error } = usePreview(value, mode, sources);
  const newest = useStableHandlers({
    scope: () => toNames(sources),
    titles: () => titlesOf(sources),
  });
  const completion = useMemo(
    () => completeExpression(mode, newest.scope, newest.titles),
    [mode, newest],
  );
  const marks = useMemo(() => (error ? [error] : []), [error?.from, error?.to, error?.message]);
  const insert = (path: string): void =>
    handle.current?.insert((before) => spellPath(mode, before, path));
  return (
    <div className="expression">
      <CodeEditor
        handle={handle}
        value={value}
        label={label}
        language={mode}
        hint={props.hint}
        description={props.description}
        isSingleLine={props.isSingleLine ?? false}
        isReadOnly={props.isReadOnly ?? false}
        isInvalid={props.isInvalid ?? false}
        marks={marks}
        completion={completion}
        onChange={props.onChange}
        onFocus={() => onFocus({ label, insert })}
      />
      <ResultLine text={text} error={error?.message} place={error && placeOf(value, error.to)} />
    </div>
  );
}

function titlesOf(sources: readonly ScopeSource[]): ReadonlyMap<string, string> {
  const listed = sources.filter(({ isListedByTitle = false }) => isListedByTitle);
  return new Map(listed.map(({ path, title }) => [path, title]));
}

/** Always one line high; during editing, a longer result overlays the content below. */
function ResultLine(props: {
  readonly text: string | undefined;
  readonly error: string | undefined;
  readonly place: string | undefined;
}) {
  const { text, error, place } = props;
  return (
    <div className="expression-slot">
      {error !== undefined ? (
        <output className="expression-result bad">
          {error} <em>{place}</em>
        </output>
      ) : (
        text !== undefined && <output className="expression-result">= {text}</output>
      )}
    </div>
  );
}

function placeOf(text: string, at: number): string {
  if (at >= text.length) return "at the end";
  const lines = text.slice(0, at).split("\n");
  const column = lines.at(-1)?.length ?? 0;
  return lines.length > 1 ? `line ${lines.length}, column ${column}` : `at character ${at}`;
}
