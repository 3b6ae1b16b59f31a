import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";

interface TicketPickerProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (number: string | undefined) => void;
  readonly kinds?: readonly string[];
}

/** A ticket to try something on: the newest open ones are offered, the first is chosen. */
export function TicketPicker({ label, value, onChange, kinds = [] }: TicketPickerProps) {
  const may = useMay();
  const query = { limit: 50, open: true, ...(kinds.length > 0 && { kinds: kinds.join(",") }) };
  const { data } = useOp("tickets.list", { query }, { enabled: may("desk:read") });
  const [isTouched, setTouched] = useState(false);
  const first = data?.data[0]?.number;
  useEffect(() => {
    if (value === undefined && first !== undefined && !isTouched) onChange(first);
  }, [value, first, isTouched, onChange]);
  return (
    <Field label={label}>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          options={(data?.data ?? []).map((one) => ({
            value: one.number,
            label: `${one.number} ${one.title}`,
          }))}
          value={value}
          onChange={(number) => {
            setTouched(true);
            onChange(number);
          }}
        />
      )}
    </Field>
  );
}
