import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useTicketSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";

interface TicketPickerProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (number: string | undefined) => void;
  readonly kinds?: readonly string[];
}

/** A ticket to try something on: open ones are found by words, the newest is chosen. */
export function TicketPicker({ label, value, onChange, kinds = [] }: TicketPickerProps) {
  const may = useMay();
  const query = { open: true, ...(kinds.length > 0 && { kinds: kinds.join(",") }) };
  const found = useTicketSearch(query);
  const newest = { query: { ...query, limit: 1 } };
  const { data } = useOp("tickets.list", newest, { enabled: may("desk:read") });
  const [isTouched, setTouched] = useState(false);
  const first = data?.data[0];
  const number = first?.number;
  useEffect(() => {
    if (value === undefined && number !== undefined && !isTouched) onChange(number);
  }, [value, number, isTouched, onChange]);
  return (
    <Field label={label}>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          {...found}
          chosen={value === first?.number && first ? `${first.number} ${first.title}` : value}
          value={value}
          onChange={(chosen) => {
            setTouched(true);
            onChange(chosen);
          }}
        />
      )}
    </Field>
  );
}
