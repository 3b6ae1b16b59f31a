import { CodeEditor, type CodeMark } from "../../../code/index.ts";

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly isReadOnly?: boolean;
  readonly isTall?: boolean;
  readonly onChange: (text: string) => void;
}

const NO_MARKS: readonly CodeMark[] = [];

/** The parser says where it stopped. A mark leaves the caret alone, which another description would not. */
function markError(text: string, error: string | undefined): readonly CodeMark[] {
  const at = /position (\d+)/.exec(error ?? "")?.[1];
  if (error === undefined || at === undefined) return NO_MARKS;
  const from = Math.min(Number(at), Math.max(0, text.length - 1));
  return [{ from, to: Math.min(from + 1, text.length), message: error }];
}

/** JSON as text, with what is wrong with it below. */
export function JsonField(props: JsonFieldProps) {
  const { label, value, error, isReadOnly = false, isTall = false, onChange } = props;
  return (
    <div className={`json-field${isTall ? " tall" : ""}`}>
      <CodeEditor
        language="json"
        isBlock
        label={label}
        value={value}
        isReadOnly={isReadOnly}
        marks={markError(value, error)}
        onChange={onChange}
      />
      {error !== undefined && (
        <p className="json-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
