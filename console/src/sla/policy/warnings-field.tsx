import type { FieldProps } from "../../ui/form/binding.ts";
import { ListField } from "../../ui/form/list-field.tsx";

/** The warnings of a target; the typed text is not reformatted. */
export function WarningsField({ value, onChange, ...field }: FieldProps<readonly number[]>) {
  return (
    <ListField
      {...field}
      value={value?.map(String)}
      onChange={(texts) => onChange(texts?.map(Number))}
      parse={readWarnings}
      label="Warn at (%)"
      help="Separate values with commas. Example: 50, 75, 90. Default: the value of the policy."
      placeholder="50, 75, 90"
    />
  );
}

function readWarnings(text: string): readonly string[] {
  const numbers = text.split(/[^\d.]+/).filter((part) => part !== "");
  return [...new Set(numbers.map(Number))].filter(Number.isFinite).map(String);
}
