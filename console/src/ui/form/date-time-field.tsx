import { toIsoTime, toLocalTime } from "../local-time.ts";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

/** A day and a time, as the reader's clock has them; the value is a time of the API. */
export function DateTimeField(props: FieldProps<string>) {
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <input
          {...attributes}
          className="field"
          type="datetime-local"
          value={value == null ? "" : toLocalTime(new Date(value))}
          onChange={({ target }) => onChange(toIsoTime(target.value) ?? null)}
        />
      )}
    </FieldFrame>
  );
}
