import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { ItemsField } from "../../services/index.ts";
import type { FieldProps } from "../../ui/form/binding.ts";
import { ComboField } from "../../ui/form/pickers/combo-field.tsx";

const RECENT_MAX = 100;

/** A category: one used by recent incidents, or a new one. */
export function CategoryField(props: FieldProps<string>) {
  const may = useMay();
  const query = { sort: "-createdAt", limit: RECENT_MAX };
  const recent = useOp("incidents.list", { query }, { enabled: may("incidents.list_children") });
  const used = new Set((recent.data?.data ?? []).map(({ category }) => category));
  const options = [...used]
    .filter((category) => category !== "")
    .toSorted()
    .map((category) => ({ value: category, label: category }));
  return <ComboField {...props} options={options} isFree />;
}

/** The configuration items of a ticket. */
export function AffectedItemsField(props: FieldProps<readonly string[]>) {
  const may = useMay();
  return may("cmdb.get_item") ? <ItemsField {...props} label="Affected items" /> : null;
}
