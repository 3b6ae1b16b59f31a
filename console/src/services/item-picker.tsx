import "./item-picker.css";
import "../ui/display/item-chip.css";
import { X } from "lucide-react";
import { useOp } from "../data/api.ts";
import { useItemSearch } from "../data/options/searches.ts";
import { Combobox } from "../ui/overlay/combobox.tsx";
import { PlainButton } from "../ui/form/button.tsx";

interface ItemPickerProps {
  readonly id: string;
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly placeholder?: string;
}

/** Chosen configuration items as chips, and a field that finds more. */
export function ItemPicker({ id, label, value, onChange, placeholder }: ItemPickerProps) {
  const { options, search } = useItemSearch();
  return (
    <div className="item-picker">
      {value.length > 0 && (
        <ul aria-label="Chosen items">
          {value.map((one) => (
            <li key={one}>
              <Chip id={one} onRemove={() => onChange(value.filter((other) => other !== one))} />
            </li>
          ))}
        </ul>
      )}
      <Combobox
        id={id}
        label={label}
        placeholder={placeholder ?? "Find an item by its name…"}
        options={options.filter((one) => !value.includes(one.value))}
        search={search}
        value={undefined}
        onChange={(item) => item !== undefined && onChange([...value, item])}
      />
    </div>
  );
}

function Chip({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const name = useOp("cmdb.get_item", { params: { id } }).data?.data.name ?? "…";
  return (
    <span className="item-chip">
      <span className="cut">{name}</span>
      <PlainButton type="button" aria-label={`Without ${name}`} onClick={onRemove}>
        <X />
      </PlainButton>
    </span>
  );
}
