import { useTeams } from "../../data/names/names.ts";
import { SelectField } from "./editor-form.tsx";

interface TeamSelectProps {
  readonly label: string;
  readonly none: string;
  readonly value: string | null;
  readonly onChange: (teamId: string | null) => void;
}

/** Selects a team, or no specific one. */
export function TeamSelect({ label, none, value, onChange }: TeamSelectProps) {
  const teams = useTeams();
  return (
    <SelectField
      label={label}
      value={value ?? ""}
      options={[["", none], ...teams.map(({ id, name }) => [id, name] as const)]}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}
