import { joinSearches, useContactSearch, usePeopleSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { useCaller } from "../use-caller.ts";

interface CallerFieldProps {
  readonly value: string | undefined;
  readonly onChange: (callerId: string | undefined) => void;
  /** Contacts can't be asked for. */
  readonly isMember?: boolean;
}

/** The person who asks, by name or address: members, and contacts who are none. */
export function CallerField({ value, onChange, isMember = false }: CallerFieldProps) {
  const label = isMember ? "For whom?" : "Who asks?";
  const may = useMay();
  const people = usePeopleSearch();
  const contacts = useContactSearch();
  const found = isMember || !may("contacts:read") ? people : joinSearches(people, contacts);
  const caller = useCaller(value ?? null);
  return (
    <Field label={label} isOptional>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          {...found}
          chosen={caller?.name}
          value={value}
          onChange={onChange}
          placeholder="Name or address"
        />
      )}
    </Field>
  );
}
