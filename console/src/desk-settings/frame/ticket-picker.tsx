import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";

interface TicketPickerProps {
  readonly label: string;
  /** The id of the ticket. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly kinds?: readonly string[];
}

/** An open ticket. Nothing is chosen beforehand. */
export function TicketPicker({ label, kinds = [], ...field }: TicketPickerProps) {
  return (
    <Field label={label}>
      {({ id }) => <TicketCombobox {...{ id, label, kinds }} {...field} onlyOpen />}
    </Field>
  );
}

/** An open ticket for a preview that changes nothing: the newest is the first example. */
export function SampleTicketPicker({ value, onChange, ...props }: TicketPickerProps) {
  const { kinds = [] } = props;
  const may = useMay();
  const query = { open: true, limit: 1, ...(kinds.length > 0 && { kinds: kinds.join(",") }) };
  const newest = useOp("tickets.list", { query }, { enabled: may("tickets.list") }).data?.data[0]
    ?.id;
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (value === undefined && newest !== undefined && !isTouched) onChange(newest);
  }, [value, newest, isTouched, onChange]);
  return (
    <TicketPicker
      {...props}
      value={value}
      onChange={(chosen) => {
        setTouched(true);
        onChange(chosen);
      }}
    />
  );
}
