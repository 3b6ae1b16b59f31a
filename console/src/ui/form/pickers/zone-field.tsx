import { Combobox } from "../../overlay/combobox.tsx";
import type { FieldProps } from "../binding.ts";
import { FieldFrame, framed } from "../field-frame.tsx";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map(
  (zone) => ({ value: zone, label: zone.replaceAll("_", " ") }),
);

/** Selects a time zone with search. */
export function ZoneField(props: FieldProps<string>) {
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <Combobox
          id={attributes.id}
          label={label}
          options={ZONES}
          isDisabled={attributes.disabled}
          isInvalid={attributes["aria-invalid"] === true}
          describedBy={attributes["aria-describedby"]}
          value={value ?? undefined}
          onChange={(zone) => zone !== undefined && onChange(zone)}
        />
      )}
    </FieldFrame>
  );
}
