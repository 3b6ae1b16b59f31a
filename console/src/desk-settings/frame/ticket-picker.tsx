import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { TicketField } from "../../data/options/search-field.tsx";
import { useMay } from "../../data/people.ts";
import { freeField } from "../../ui/form/binding.ts";

interface TicketPickerProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly kinds?: readonly string[];
}

/** Selects an open ticket. Nothing is preselected. */
export function TicketPicker({ label, kinds = [], value, onChange }: TicketPickerProps) {
  const field = freeField<string>("ticket", value, (id) => onChange(id ?? undefined));
  return <TicketField {...field} {...{ label, kinds }} />;
}

/** Selects an open ticket for a preview; the newest is preselected, because previews change nothing. */
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
