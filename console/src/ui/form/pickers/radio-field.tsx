import type { ReactNode } from "react";
import type { FieldProps } from "../binding.ts";
import { labelOf } from "../field-frame.tsx";

interface RadioFieldProps<T extends string> extends FieldProps<T> {
  readonly options: readonly (readonly [value: T, label: string, about?: ReactNode])[];
}

/** Selects one of a few values, each with a description. */
export function RadioField<T extends string>(props: RadioFieldProps<T>) {
  const { value, onChange, name, isDisabled, hidesLabel, options } = props;
  const label = labelOf(props);
  const error = props.errorFor(label);
  return (
    <fieldset
      className="form-choices"
      disabled={isDisabled}
      data-invalid={error === undefined ? undefined : ""}
    >
      <legend className={hidesLabel ? "hide" : undefined}>{label}</legend>
      {options.map(([one, words, about]) => (
        <label key={one}>
          <input type="radio" name={name} checked={value === one} onChange={() => onChange(one)} />
          <span>
            {words}
            {about !== undefined && <span className="field-help">{about}</span>}
          </span>
        </label>
      ))}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
