import { useState } from "react";
import { joinSearches, useContactSearch, usePeopleSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { useCaller } from "../use-caller.ts";
import { type NewContact, toNewContact } from "./new-contact.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const CREATE = "create:";

interface CallerFieldProps {
  readonly value: string | undefined;
  readonly onChange: (callerId: string | undefined) => void;
  /** Requests need a caller who is a member. */
  readonly isMember?: boolean;
  /** A contact to create with the ticket; undefined if the user can't create contacts. */
  readonly contact?: NewContact | undefined;
  readonly onContact?: (contact: NewContact | undefined) => void;
  readonly error?: string | undefined;
}

/** The caller, found by name or address: a member, a contact, or a new contact. */
export function CallerField(props: CallerFieldProps) {
  const { value, onChange, isMember = false, contact, onContact, error } = props;
  const label = isMember ? "Requested for" : "Caller";
  const may = useMay();
  const people = usePeopleSearch();
  const contacts = useContactSearch();
  const [typed, setTyped] = useState("");
  const [unknown, setUnknown] = useState<string>();
  const found = isMember || !may("contacts.list") ? people : joinSearches(people, contacts);
  const caller = useCaller(value ?? null);
  const canCreate = onContact !== undefined && may("contacts.create");
  const create = (words: string): void => {
    onChange(undefined);
    onContact?.(toNewContact(words));
  };
  const choose = (chosen: string | undefined): void => {
    setUnknown(undefined);
    if (chosen?.startsWith(CREATE)) return create(chosen.slice(CREATE.length));
    onContact?.(undefined);
    onChange(chosen);
  };
  const offered = { value: CREATE + typed, label: `Create contact “${typed}”` };
  if (contact && onContact) {
    return <ContactFields {...{ contact, onContact }} error={error} />;
  }
  return (
    <Field
      label={label}
      isOptional
      error={
        unknown === undefined ? error : `“${unknown}” not found. Select a person from the list.`
      }
      help={isMember ? undefined : "Default: you."}
    >
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          options={canCreate && typed !== "" ? [...found.options, offered] : found.options}
          search={{
            ...found.search,
            onWords: (words) => {
              setTyped(words ?? "");
              found.search.onWords(words);
            },
          }}
          chosen={caller?.name}
          value={value}
          onChange={choose}
          // Unrecognised text must not be dropped silently.
          onUnknown={canCreate ? create : setUnknown}
          placeholder="Search by name or e-mail address"
        />
      )}
    </Field>
  );
}

const PARTS = [
  ["name", "Name", "text"],
  ["address", "E-mail", "email"],
  ["phone", "Phone", "tel"],
] as const;

interface ContactFieldsProps {
  readonly contact: NewContact;
  readonly onContact: (contact: NewContact | undefined) => void;
  readonly error: string | undefined;
}

/** The contact that is created with the ticket. */
function ContactFields({ contact, onContact, error }: ContactFieldsProps) {
  return (
    <fieldset className="new-contact" aria-label="New contact">
      <p className="row">
        <strong className="grow">New contact</strong>
        <Button look="bare" type="button" onClick={() => onContact(undefined)}>
          Select existing person
        </Button>
      </p>
      <div className="act-columns">
        {PARTS.map(([name, label, type]) => (
          <Field key={name} label={label} isOptional={name !== "name"}>
            {(attributes) => (
              <TextInput
                {...attributes}
                type={type}
                value={contact[name]}
                onChange={({ target }) => onContact({ ...contact, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
