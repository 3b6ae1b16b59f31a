import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { type FieldError, Form, type Schema } from "../../form/index.ts";
import type { Kind } from "../ticket-kind.ts";

interface OwnFieldInputsProps {
  readonly kind: Kind;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly errors: readonly FieldError[];
}

export function OwnFieldInputs({ kind, value, onChange, errors }: OwnFieldInputsProps) {
  const may = useMay();
  const found = useOp("desk.get_kind", { params: { kind } }, { enabled: may("teams.list") }).data;
  // While the fields of a new kind load, the data of the previous kind is still present and must not be shown.
  if (!found || found.data.kind !== kind || found.data.fields.length === 0) return null;
  return (
    <Form
      schema={found.data.schema as Schema}
      value={value}
      onChange={(next) => onChange(next as typeof value)}
      errors={errors}
      isDense
      hasSummary={false}
    />
  );
}
