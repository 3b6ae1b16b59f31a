import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { SelectField } from "./editor-form.tsx";

interface TeamSelectProps {
  readonly label: string;
  readonly none: string;
  readonly value: string | null;
  readonly onChange: (teamId: string | null) => void;
}

/** A team, or none in particular. */
export function TeamSelect({ label, none, value, onChange }: TeamSelectProps) {
  const may = useMay();
  const teams = useOp("teams.list", { query: { limit: 200 } }, { enabled: may("desk:read") }).data;
  return (
    <SelectField
      label={label}
      value={value ?? ""}
      options={[["", none], ...(teams?.data ?? []).map(({ id, name }) => [id, name] as const)]}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}
