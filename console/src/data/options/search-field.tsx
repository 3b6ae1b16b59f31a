/** Form fields for searching people, teams and tickets. */
import type { FieldProps } from "../../ui/form/binding.ts";
import { comboOf, FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { ComboField } from "../../ui/form/pickers/combo-field.tsx";
import { useNames } from "../names/names.ts";
import { MajorCombobox, TicketCombobox } from "./ticket-combobox.tsx";
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

/** Selects an open major incident; the value is its id. */
export function MajorField({ without = [], ...props }: TicketFieldProps) {
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <MajorCombobox
          {...comboOf(attributes)}
          label={label}
          without={without}
          value={props.value ?? undefined}
          onChange={(next) => props.onChange(next ?? null)}
        />
      )}
    </FieldFrame>
  );
}

/** Selects an open ticket; the value is its id. */
export function TicketField(given: TicketFieldProps) {
  const { kinds = [], without = [], isClosedToo = false, ...props } = given;
  const { value, onChange } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <TicketCombobox
          {...comboOf(attributes)}
          label={label}
          placeholder={props.placeholder}
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

/** A field whose options a search finds. */
export const SearchField = ({ found, ...props }: FoundProps) => (
  <ComboField {...props} {...found} />
);
