import { useMemo } from "react";
import { CodeEditor, type CodeMark, findJsonFault } from "../../../code/index.ts";

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly isReadOnly?: boolean;
  readonly isTall?: boolean;
  readonly onChange: (text: string) => void;
}

/** Edits JSON as text. Invalid JSON is marked, with the parse error below. */
export function JsonField(props: JsonFieldProps) {
  const { label, value, error, isReadOnly = false, isTall = false, onChange } = props;
  const fault = useMemo(() => (value.trim() === "" ? undefined : findJsonFault(value)), [value]);
  const marks = useMemo(() => (fault ? [fault] : []), [fault]);
  const told = fault ? tellFault(value, fault) : error;
  return (
    <div className={`json-field${isTall ? " tall" : ""}`}>
      <CodeEditor
        language="json"
        isBlock
        label={label}
        value={value}
        isReadOnly={isReadOnly}
        marks={marks}
        isInvalid={told !== undefined}
        description={told}
        onChange={onChange}
      />
      {told !== undefined && (
        <p className="json-error" role="alert">
          {told}
        </p>
      )}
    </div>
  );
}

function tellFault(text: string, { from, message }: CodeMark): string {
  return `Line ${text.slice(0, from).split("\n").length}: ${message}`;
}
