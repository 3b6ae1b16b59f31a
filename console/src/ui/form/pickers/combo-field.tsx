import { Combobox, type ComboboxProps } from "../../overlay/combobox.tsx";
import type { FieldProps } from "../binding.ts";
import { comboOf, FieldFrame, framed } from "../field-frame.tsx";

type ComboFieldProps = FieldProps<string> &
  Pick<ComboboxProps, "options" | "search" | "chosen" | "placeholder" | "isFree">;

/** A text found in a list while one types; with `isFree`, any other text too. */
export function ComboField(props: ComboFieldProps) {
  const { value, onChange, options, search, chosen, placeholder, isFree = false } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <Combobox
          {...comboOf(attributes)}
          {...{ label, options, search, chosen, placeholder, isFree }}
          value={value || undefined}
          onChange={(next) => onChange(next ?? null)}
        />
      )}
    </FieldFrame>
  );
}
