import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Form, type Schema } from "../../form/index.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { CallerField } from "./caller-field.tsx";
import type { DraftFieldsProps } from "./draft.ts";

/** A catalog item requested for someone, with its own form. */
export function RequestFields({ draft, onChange, errorOf }: DraftFieldsProps) {
  const may = useMay();
  const items = useOp(
    "catalog.list_items",
    { query: { limit: 200 } },
    { enabled: may("catalog.list_items") },
  );
  const item = items.data?.data.find(({ id }) => id === draft.itemId);
  const options = (items.data?.data ?? []).map(({ id, name, description }) => ({
    value: id,
    label: name,
    about: description,
  }));
  return (
    <>
      <Field label="Catalog item" error={errorOf("itemId")}>
        {({ id }) => (
          <Combobox
            id={id}
            label="Catalog item"
            options={options}
            value={draft.itemId}
            onChange={(itemId) => onChange({ itemId, values: {} })}
            isLoading={items.isPending}
          />
        )}
      </Field>
      <CallerField
        value={draft.callerId}
        onChange={(callerId) => onChange({ callerId })}
        isMember
      />
      {item && (
        <Form
          schema={item.form as Schema}
          value={draft.values}
          onChange={(values) => onChange({ values: values as typeof draft.values })}
          isDense
          hasSummary={false}
        />
      )}
    </>
  );
}
