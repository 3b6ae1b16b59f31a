import { useId } from "react";

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
  const id = useId();
  const { label, value, error, isReadOnly = false, isTall = false, onChange } = props;
  return (
    <div className={`json-field${isTall ? " tall" : ""}`}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="field mono"
        spellCheck={false}
        rows={8}
        value={value}
        readOnly={isReadOnly}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.target.value)}
      />
      {error !== undefined && (
        <p id={`${id}-error`} className="json-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
