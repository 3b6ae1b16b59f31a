import { CodeEditor } from "../../../code/index.ts";

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly isReadOnly?: boolean;
  readonly isTall?: boolean;
  readonly onChange: (text: string) => void;
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
