import { X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useItemSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

const RECENT_MAX = 100;

interface CategoryFieldProps {
  readonly value: string;
  readonly onChange: (category: string) => void;
}

/** A category: one used by recent incidents, or a new one. */
export function CategoryField({ value, onChange }: CategoryFieldProps) {
  const may = useMay();
  const query = { sort: "-createdAt", limit: RECENT_MAX };
  const recent = useOp("incidents.list", { query }, { enabled: may("incidents.list_children") });
  const used = new Set((recent.data?.data ?? []).map(({ category }) => category));
  const options = [...used]
    .filter((category) => category !== "")
    .toSorted()
    .map((category) => ({ value: category, label: category }));
  return (
    <Field label="Category" isOptional>
      {({ id }) => (
        <Combobox
          id={id}
          label="Category"
          options={options}
          value={value === "" ? undefined : value}
          onChange={(category) => onChange(category ?? "")}
          isFree
        />
      )}
    </Field>
  );
}

interface ItemsFieldProps {
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** The configuration items of a ticket. */
export function ItemsField({ value, onChange }: ItemsFieldProps) {
  const may = useMay();
  const found = useItemSearch();
  if (!may("cmdb.get_item")) return null;
  return (
    <Field label="Affected items" isOptional>
      {({ id }) => (
        <>
          <Combobox
            id={id}
            label="Affected items"
            options={found.options.filter((option) => !value.includes(option.value))}
            search={found.search}
            value={undefined}
            onChange={(item) => item !== undefined && onChange([...value, item])}
            placeholder="Name of a configuration item"
          />
          <p className="tags">
            {value.map((item) => (
              <ItemChip
                key={item}
                id={item}
                onRemove={() => onChange(value.filter((one) => one !== item))}
              />
            ))}
          </p>
        </>
      )}
    </Field>
  );
}

function ItemChip({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const name = useOp("cmdb.get_item", { params: { id } }).data?.data.name ?? "…";
  return (
    <span className="chip">
      <span className="cut">{name}</span>
      <PlainButton type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
        <X className="ico" />
      </PlainButton>
    </span>
  );
}
