import "./item-picker.css";
import "../ui/display/item-chip.css";
import { X } from "lucide-react";
import { useOp } from "../data/api.ts";
import { useItemSearch } from "../data/options/searches.ts";
import { Combobox, type ComboboxProps } from "../ui/overlay/combobox.tsx";
import type { FieldProps } from "../ui/form/binding.ts";
import { comboOf, FieldFrame, framed } from "../ui/form/field-frame.tsx";
import { PlainButton } from "../ui/form/button.tsx";

interface ItemPickerProps extends Pick<
  ComboboxProps,
  "isDisabled" | "isInvalid" | "describedBy" | "placeholder"
> {
  readonly id: string;
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** A form field for configuration items. */
export function ItemsField({
  placeholder,
  ...field
}: FieldProps<readonly string[]> & Pick<ItemPickerProps, "placeholder">) {
  return (
    <FieldFrame field={framed(field)}>
      {(attributes, label) => (
        <ItemPicker
          {...comboOf(attributes)}
          label={label}
          placeholder={placeholder}
          value={field.value ?? []}
          onChange={field.onChange}
        />
      )}
    </FieldFrame>
  );
}

/** Selected configuration items as chips, and a field to add more. */
export function ItemPicker(props: ItemPickerProps) {
  const { value, onChange, placeholder, ...combo } = props;
  const { options, search } = useItemSearch();
  return (
    <div className="item-picker">
      {value.length > 0 && (
        <ul aria-label="Selected items">
          {value.map((one) => (
            <li key={one}>
              <Chip id={one} onRemove={() => onChange(value.filter((other) => other !== one))} />
            </li>
          ))}
        </ul>
      )}
      <Combobox
        {...combo}
        placeholder={placeholder ?? "Search items by name"}
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
      <PlainButton type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
        <X />
      </PlainButton>
    </span>
  );
}
