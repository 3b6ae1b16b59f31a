import { type ReactNode, useCallback } from "react";
import type { SearchedOptions } from "../../data/options/option-search.ts";
import { useItemSearch, usePeopleSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import type { FieldProps } from "../../form/index.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";

/** Renders fields for people and configuration items as pickers; users without permission enter the name. */
export function useReferenceFields(): (props: FieldProps) => ReactNode {
  const may = useMay();
  const [mayPeople, mayItems] = [may("users.list"), may("cmdb.path")];
  return useCallback(
    (field: FieldProps) => {
      const kind = field.schema["x-reference"];
      if (kind === "person" && mayPeople) return <PersonField {...field} />;
      if (kind === "cmdb_item" && mayItems) return <ItemField {...field} />;
      return undefined;
    },
    [mayPeople, mayItems],
  );
}

const PersonField = (field: FieldProps) => <NameField {...field} found={usePeopleSearch()} />;
const ItemField = (field: FieldProps) => <NameField {...field} found={useItemSearch()} />;

/** The value is the name, which the fulfiller reads. */
function NameField({ found, value, ...field }: FieldProps & { readonly found: SearchedOptions }) {
  return (
    <Combobox
      id={field.id}
      label={field.label}
      isFree
      isDisabled={field.isDisabled}
      isInvalid={field.error !== undefined}
      describedBy={field.describedBy}
      options={found.options.map(({ label, about }) => ({ value: label, label, about }))}
      search={found.search}
      value={typeof value === "string" ? value : undefined}
      onChange={field.onChange}
    />
  );
}
