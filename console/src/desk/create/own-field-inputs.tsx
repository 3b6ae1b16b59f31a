import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Form, type Schema } from "../../form/index.ts";
import type { Kind } from "../ticket-kind.ts";
import type { KindFieldsProps } from "./text-fields.tsx";

/** The custom fields of a kind. */
export function OwnFieldInputs({ form, kind }: KindFieldsProps & { readonly kind: Kind }) {
  const may = useMay();
  const found = useOp("desk.get_kind", { params: { kind } }, { enabled: may("teams.list") }).data;
  // While the fields of a new kind load, the data of the previous kind is still present and must not be shown.
  if (!found || found.data.kind !== kind || found.data.fields.length === 0) return null;
  return (
    <Form
      schema={found.data.schema as Schema}
      value={form.values.fields ?? {}}
      onChange={(fields) => form.change({ fields: fields as Record<string, unknown> })}
      errors={form.errorsOf("fields")}
      base="/fields"
      isDense
      hasSummary={false}
    />
  );
}
