import { type ReactNode, useCallback } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { FieldProps } from "../../form/index.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";

const OFFERS = 200;

/** Draws fields that name a person or a configuration item, for those who may see them; others write the name. */
export function useReferenceFields(): (props: FieldProps) => ReactNode {
  const may = useMay();
  const people = useOp("users.list", { query: { limit: OFFERS } }, { enabled: may("users:read") });
  const items = useOp(
    "cmdb.list_items",
    { query: { limit: OFFERS } },
    { enabled: may("cmdb:read") },
  );
  const names = people.data?.data;
  const things = items.data?.data;
  return useCallback(
    ({ id, schema, label, value, error, isDisabled, describedBy, onChange }: FieldProps) => {
      const offers = { person: names, cmdb_item: things }[schema["x-reference"] ?? ""];
      if (!offers) return undefined;
      return (
        <Combobox
          id={id}
          label={label}
          isFree
          isDisabled={isDisabled}
          isInvalid={error !== undefined}
          describedBy={describedBy}
          options={offers.map(({ name }) => ({ value: name, label: name }))}
          value={typeof value === "string" ? value : undefined}
          onChange={onChange}
        />
      );
    },
    [names, things],
  );
}
