import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";

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
  const people = useOp("users.list", { query: { limit: 200 } }, { enabled: may("users:read") });
  const contacts = useOp(
    "contacts.list",
    { query: { limit: 200 } },
    { enabled: may("contacts:read") && !isMember },
  );
  const options = useMemo(
    () => [
      ...(people.data?.data ?? []).map(({ id, name, email }) => ({
        value: id,
        label: name,
        about: email,
      })),
      ...(isMember ? [] : (contacts.data?.data ?? [])).map(({ id, name, address }) => ({
        value: id,
        label: name,
        about: address,
        group: "Contact",
      })),
    ],
    [people.data, contacts.data, isMember],
  );
  return (
    <Field label={label} isOptional>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          options={options}
          value={value}
          onChange={onChange}
          placeholder="Name or address"
          isLoading={people.isPending}
        />
      )}
    </Field>
  );
}
