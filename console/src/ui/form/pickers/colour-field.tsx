import { ColourInput } from "../../display/colour-input.tsx";
import type { FieldProps } from "../binding.ts";
import { FieldFrame, framed } from "../field-frame.tsx";

interface ColourFieldProps extends FieldProps<string> {
  /** The colour used if the field is empty. */
  readonly standard: string;
}

export function ColourField({ standard, ...props }: ColourFieldProps) {
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <ColourInput
          id={attributes.id}
          describedBy={attributes["aria-describedby"]}
          isInvalid={attributes["aria-invalid"]}
          isDisabled={attributes.disabled}
          value={value ?? ""}
          ours={standard}
          onChange={(colour) => onChange(colour === "" ? null : colour)}
        />
      )}
    </FieldFrame>
  );
}
