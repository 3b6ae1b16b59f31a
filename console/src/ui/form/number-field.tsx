import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

interface NumberFieldProps extends FieldProps<number> {
  readonly placeholder?: string;
  /** Shown after the field, such as `minutes`. */
  readonly unit?: string;
}

/** A number; an integer if the schema requires it. */
export function NumberField(props: NumberFieldProps) {
  const { value, onChange, limits, unit } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => {
        const input = (
          <input
            {...attributes}
            className="field"
            type="number"
            step={limits.type === "integer" ? 1 : "any"}
            min={limits.minimum}
            max={limits.maximum}
            placeholder={props.placeholder}
            value={value ?? ""}
            onChange={({ target }) => onChange(target.value === "" ? null : Number(target.value))}
          />
        );
        if (unit === undefined) return input;
        return (
          <span className="row">
            {input}
            {unit}
          </span>
        );
      }}
    </FieldFrame>
  );
}
