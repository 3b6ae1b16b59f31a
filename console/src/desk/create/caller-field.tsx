import { FIELDS } from "@millrace/client/fields";
import { useState } from "react";
import { joinSearches, useContactSearch, usePeopleSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { type FieldBinding, type FieldProps, partOf } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { comboOf, FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { useCaller } from "../use-caller.ts";
import { type NewContact, toNewContact } from "./new-contact.ts";

const CREATE = "create:";

interface CallerFieldProps extends FieldProps<string> {
  /** Requests need a caller who is a member. */
  readonly isMember?: boolean;
  /** A contact to create with the ticket. */
  readonly contact?: FieldBinding<NewContact>;
}

/** The caller, found by name or address: a member, a contact, or a new contact. */
export function CallerField(given: CallerFieldProps) {
  const { isMember = false, contact, ...props } = given;
  const { value, onChange } = props;
  const may = useMay();
  const people = usePeopleSearch();
  const contacts = useContactSearch();
  const [typed, setTyped] = useState("");
  const [unknown, setUnknown] = useState<string>();
  const found = isMember || !may("contacts.list") ? people : joinSearches(people, contacts);
  const caller = useCaller(value ?? null);
  const canCreate = contact !== undefined && may("contacts.create");
  const create = (words: string): void => {
    onChange(null);
    contact?.onChange(toNewContact(words));
  };
  const choose = (chosen: string | undefined): void => {
    setUnknown(undefined);
    if (chosen?.startsWith(CREATE)) create(chosen.slice(CREATE.length));
    else onChange(chosen ?? null);
  };
  const offered = { value: CREATE + typed, label: `Create contact “${typed}”` };
  if (contact?.value) return <ContactFields contact={contact} />;
  const field = {
    ...props,
    errorFor: (label: string) =>
      unknown === undefined
        ? props.errorFor(label)
        : `“${unknown}” not found. Select a person from the list.`,
  };
  return (
    <FieldFrame field={framed(field)}>
      {(attributes, label) => (
        <Combobox
          {...comboOf(attributes)}
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
          value={value ?? undefined}
          onChange={choose}
          // Unrecognised text must not be dropped silently.
          onUnknown={canCreate ? create : setUnknown}
          placeholder="Search by name or e-mail address"
        />
      )}
    </FieldFrame>
  );
}

const { name, address, phone } = FIELDS["contacts.create"] ?? {};

/** The contact that is created with the ticket. */
function ContactFields({ contact }: { readonly contact: FieldBinding<NewContact> }) {
  return (
    <fieldset className="new-contact" aria-label="New contact">
      <p className="row">
        <strong className="grow">New contact</strong>
        <Button look="bare" type="button" onClick={() => contact.onChange(null)}>
          Select existing person
        </Button>
      </p>
      <Grid min="s">
        <TextField {...partOf(contact, "name", name)} />
        <TextField {...partOf(contact, "address", address)} label="E-mail" type="email" />
        <TextField {...partOf(contact, "phone", phone)} type="tel" />
      </Grid>
    </fieldset>
  );
}
