/** Form fields that search for a person, a team or a ticket. */
import type { FieldProps } from "../../ui/form/binding.ts";
import { FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { useNames } from "../names/names.ts";
import { TicketCombobox } from "./ticket-combobox.tsx";
import type { SearchedOptions } from "./option-search.ts";
import { usePeopleSearch, useTeamSearch } from "./searches.ts";

interface SearchFieldProps extends FieldProps<string> {
  readonly placeholder?: string;
}

export function PersonField(props: SearchFieldProps) {
  return <SearchField {...props} found={usePeopleSearch()} chosen={useNames()(props.value)} />;
}

export function TeamField(props: SearchFieldProps) {
  return <SearchField {...props} found={useTeamSearch()} chosen={useNames()(props.value)} />;
}

interface TicketFieldProps extends SearchFieldProps {
  readonly kinds?: readonly string[];
  /** Ids of tickets that are not offered. */
  readonly without?: readonly string[];
  /** Also offers closed tickets. */
  readonly isClosedToo?: boolean;
}

/** Selects an open ticket; the value is its id. */
export function TicketField(given: TicketFieldProps) {
  const { kinds = [], without = [], isClosedToo = false, ...props } = given;
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <TicketCombobox
          id={attributes.id}
          label={label}
          placeholder={props.placeholder}
          isDisabled={attributes.disabled}
          isInvalid={attributes["aria-invalid"] === true}
          describedBy={attributes["aria-describedby"]}
          kinds={kinds}
          without={without}
          onlyOpen={!isClosedToo}
          value={value ?? undefined}
          onChange={(next) => onChange(next ?? null)}
        />
      )}
    </FieldFrame>
  );
}

interface FoundProps extends SearchFieldProps {
  readonly found: SearchedOptions;
  /** The label of the current value. */
  readonly chosen: string | undefined;
}

function SearchField({ found, chosen, ...props }: FoundProps) {
  const { value, onChange, placeholder } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <Combobox
          {...found}
          id={attributes.id}
          label={label}
          placeholder={placeholder}
          isDisabled={attributes.disabled}
          isInvalid={attributes["aria-invalid"] === true}
          describedBy={attributes["aria-describedby"]}
          value={value ?? undefined}
          chosen={chosen}
          onChange={(next) => onChange(next ?? null)}
        />
      )}
    </FieldFrame>
  );
}
