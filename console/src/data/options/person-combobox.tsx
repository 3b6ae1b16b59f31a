/** Fields for selecting people or teams. */
import { useState } from "react";
import type { ComboOption } from "../../ui/overlay/options.tsx";
import { Combobox, type ComboboxProps } from "../../ui/overlay/combobox.tsx";
import { useNames } from "../names/names.ts";
import { useEverybodySearch, usePeopleSearch, useTeamSearch } from "./searches.ts";
import type { SearchedOptions } from "./option-search.ts";

interface NamedProps extends Omit<ComboboxProps, "options" | "search" | "chosen" | "isLoading"> {
  /** Ids that are not offered. */
  readonly without?: readonly string[];
}

/** Selects an active member. */
export function PersonCombobox(props: NamedProps) {
  return <NamedCombobox {...props} found={usePeopleSearch()} />;
}

/** Selects a member, including deactivated and former ones. */
export function EverybodyCombobox(props: NamedProps) {
  return <NamedCombobox {...props} found={useEverybodySearch()} />;
}

export function TeamCombobox(props: NamedProps) {
  return <NamedCombobox {...props} found={useTeamSearch()} />;
}

function NamedCombobox({
  without = [],
  found: { options, search },
  ...field
}: NamedProps & { readonly found: SearchedOptions }) {
  const nameOf = useNames();
  // Kept here, because names of former members are only in the search results.
  const [picked, setPicked] = useState<ComboOption>();
  return (
    <Combobox
      {...field}
      options={options.filter(({ value }) => !without.includes(value))}
      search={search}
      chosen={nameOf(field.value) ?? (picked?.value === field.value ? picked?.label : undefined)}
      onChange={(value) => {
        setPicked(options.find((option) => option.value === value));
        field.onChange(value);
      }}
    />
  );
}
