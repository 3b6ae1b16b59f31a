import { X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { usePeopleOptions } from "../../desk-settings/index.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import type { Target } from "./page-plan.ts";

interface TargetsProps {
  readonly targets: readonly Target[];
  readonly onChange: (targets: readonly Target[]) => void;
  readonly error?: string | undefined;
}

const TYPES = { ocs: "schedule", tem: "team", usr: "user" } as const;

/** Whom to page: whoever is on call, whole teams, people. */
export function Targets({ targets, onChange, error }: TargetsProps) {
  const options = useTargetOptions();
  const add = (id: string | undefined): void => {
    const type = TYPES[id?.slice(0, 3) as keyof typeof TYPES];
    if (id !== undefined && type !== undefined) onChange([...targets, { type, id }]);
  };
  return (
    <div className="page-targets">
      {targets.map(({ id }, n) => (
        <span key={id} className="chip">
          {options.find(({ value }) => value === id)?.label ?? "Somebody who left"}
          <button
            type="button"
            className="btn bare icon small"
            aria-label={`Leave out ${options.find(({ value }) => value === id)?.label ?? "it"}`}
            onClick={() => onChange(targets.toSpliced(n, 1))}
          >
            <X />
          </button>
        </span>
      ))}
      <Combobox
        label="Page whom"
        placeholder="Page a schedule, a team, a person…"
        options={options.filter(({ value }) => targets.every(({ id }) => id !== value))}
        value={undefined}
        onChange={add}
      />
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}

function useTargetOptions() {
  const may = useMay();
  const options = { enabled: may("desk:read") };
  const query = { limit: 200 };
  const schedules = useOp("on_call_schedules.list", { query }, options).data?.data ?? [];
  const teams = useOp("teams.list", { query }, options).data?.data ?? [];
  const people = usePeopleOptions();
  return [
    ...schedules.map(({ id, name }) => ({ value: id, label: name, group: "On call" })),
    ...teams.map(({ id, name }) => ({ value: id, label: name, group: "Whole teams" })),
    ...people.map((one) => ({ ...one, group: "People" })),
  ];
}
