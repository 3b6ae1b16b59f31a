import { toIsoTime, toLocalTime } from "../local-time.ts";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

/** A date and time in the user's time zone; the value is an API timestamp. */
export function DateTimeField(props: FieldProps<string>) {
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <input
          {...attributes}
          className="field"
          type="datetime-local"
          value={value ? toLocalTime(new Date(value)) : ""}
          onChange={({ target }) => onChange(toIsoTime(target.value) ?? null)}
        />
      )}
    </FieldFrame>
  );
}

/** A date: `2026-03-01`. */
export const DateField = (props: FieldProps<string>) => <NativeField {...props} type="date" />;

/** A time of day: `09:00`. */
export const TimeField = (props: FieldProps<string>) => <NativeField {...props} type="time" />;

function NativeField({ type, ...props }: FieldProps<string> & { readonly type: "date" | "time" }) {
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <input
          {...attributes}
          className="field"
          type={type}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
        />
      )}
    </FieldFrame>
  );
}
