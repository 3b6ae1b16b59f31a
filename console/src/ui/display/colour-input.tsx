import "./colour-input.css";

interface ColourInputProps {
  readonly id: string;
  /** Empty for the default. */
  readonly value: string;
  readonly ours: string;
  readonly isDisabled?: boolean;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: true | undefined;
  readonly onChange: (colour: string) => void;
}

/** A colour input with a reset to the default. */
export function ColourInput(props: ColourInputProps) {
  const { id, value, ours, isDisabled, describedBy, isInvalid, onChange } = props;
  return (
    <div className="row colour-input">
      <input
        id={id}
        type="color"
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        disabled={isDisabled}
        value={value === "" ? ours : value}
        onChange={({ target }) => onChange(target.value)}
      />
      <code>{value === "" ? "default" : value}</code>
      {value !== "" && (
        <button type="button" className="btn" disabled={isDisabled} onClick={() => onChange("")}>
          Use default
        </button>
      )}
    </div>
  );
}
