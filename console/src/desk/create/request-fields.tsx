import { useOp } from "../../data/api.ts";
import { uploadFile } from "../../data/files/files.ts";
import { useOptionSearch } from "../../data/options/option-search.ts";
import { SearchField } from "../../data/options/search-field.tsx";
import { useMay } from "../../data/people.ts";
import { Form, type Schema } from "../../form/index.ts";
import { CallerField } from "./caller-field.tsx";
import type { KindFieldsProps } from "./text-fields.tsx";

interface FoundItem {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const toOption = ({ id, name, description }: FoundItem) => ({
  value: id,
  label: name,
  about: description,
});

/** Loads the selected catalog item with its form schema. */
export function useCatalogItem(id: string | null | undefined) {
  const enabled = useMay()("catalog.get_item") && Boolean(id);
  const item = useOp("catalog.get_item", { params: { id: id ?? "" } }, { enabled }).data?.data;
  return item?.id === id ? item : undefined;
}

/** A catalog item requested for someone, with its own form. */
export function RequestFields({ form }: KindFieldsProps) {
  const found = useOptionSearch("catalog.list_items", toOption);
  const itemId = form.field("itemId");
  const item = useCatalogItem(itemId.value);
  return (
    <>
      <SearchField
        {...itemId}
        label="Catalog item"
        found={found}
        chosen={item?.name}
        onChange={(id) => form.change({ itemId: id, values: {} })}
      />
      <CallerField {...form.field("requestedFor")} label="Requested for" isMember />
      {item && (
        <Form
          schema={item.form as Schema}
          value={form.values.values}
          onChange={(values) => form.change({ values: values as Record<string, unknown> })}
          errors={form.errorsOf("values")}
          base="/values"
          upload={async (file) => (await uploadFile(file)).id}
          isDense
          hasSummary={false}
        />
      )}
    </>
  );
}
