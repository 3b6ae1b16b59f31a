import { INCIDENT_SEVERITY } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { useMemo } from "react";
import { X } from "lucide-react";
import { useMembers, useTeams } from "../../data/names/names.ts";
import { freeField } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { Select } from "../../ui/form/controls.tsx";

type Values = Readonly<Record<string, unknown>>;

interface SetFieldsProps {
  readonly value: Values;
  readonly onChange: (value: Record<string, unknown>) => void;
}

const LEVELS = [
  ["1", "High"],
  ["2", "Medium"],
  ["3", "Low"],
] as const;
const SEVERITIES = choicesOf(INCIDENT_SEVERITY);

interface Settable {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly read: (text: string) => unknown;
}

/** Edits the fields set by a macro. */
export function SetFields({ value, onChange }: SetFieldsProps) {
  const settable = useSettable();
  const free = Object.keys(settable).filter((name) => !(name in value));
  return (
    <div className="set-fields">
      {Object.entries(value).map(([name, chosen]) => {
        const field = settable[name];
        return (
          <div key={name} className="set-line">
            {field ? (
              <SelectField
                {...freeField(
                  name,
                  chosen === null ? "" : String(chosen as string | number),
                  (text) => onChange({ ...value, [name]: field.read(text ?? "") }),
                )}
                label={field.label}
                options={field.options}
              />
            ) : (
              <p className="mono grow">
                {name}: {JSON.stringify(chosen)}
              </p>
            )}
            <Button
              look="bare"
              isIcon
              isSmall
              type="button"
              aria-label={`Do not set ${field?.label ?? name}`}
              onClick={() => {
                const { [name]: _, ...rest } = value;
                onChange(rest);
              }}
            >
              <X />
            </Button>
          </div>
        );
      })}
      {free.length > 0 && (
        <Select
          className="set-add"
          aria-label="Add field"
          value=""
          onChange={({ target }) => {
            const field = settable[target.value];
            const first = field?.options[0]?.[0];
            if (field && first !== undefined) {
              onChange({ ...value, [target.value]: field.read(first) });
            }
          }}
        >
          <option value="">Add field…</option>
          {free.map((name) => (
            <option key={name} value={name}>
              {settable[name]?.label}
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}

function useSettable(): Readonly<Record<string, Settable>> {
  const teams = useTeams();
  const text = (value: string): unknown => (value === "" ? null : value);
  const teamOptions = teams.map(({ id, name }) => [id, name] as const);
  const agents = useMembers(
    useMemo(() => [...new Set(teams.flatMap(({ memberIds }) => memberIds))], [teams]),
  );
  return {
    teamId: { label: "Team", options: teamOptions, read: text },
    assigneeId: {
      label: "Assignee",
      options: [["", "Unassigned"], ...agents.map(({ id, name }) => [id, name] as const)],
      read: text,
    },
    impact: { label: "Impact", options: LEVELS, read: Number },
    urgency: { label: "Urgency", options: LEVELS, read: Number },
    severity: { label: "Severity", options: SEVERITIES, read: text },
  };
}
