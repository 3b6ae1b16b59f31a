import { X } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { joinSearches, usePeopleSearch, useTeamSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { filterOptions } from "../../ui/overlay/options.tsx";
import type { Target } from "./page-plan.ts";
import { Button } from "../../ui/form/button.tsx";

interface TargetsProps {
  readonly targets: readonly Target[];
  readonly onChange: (targets: readonly Target[]) => void;
  readonly error?: string | undefined;
}

const TYPES = { ocs: "schedule", tem: "team", usr: "user" } as const;

/** Selects the recipients of a page: on-call schedules, teams and people. */
export function Targets({ targets, onChange, error }: TargetsProps) {
  const { onCall, options, search } = useTargetSearch();
  const nameOf = useNames();
  const labelOf = (id: string): string | undefined =>
    onCall.find(({ value }) => value === id)?.label ?? nameOf(id);
  const [words, setWords] = useState<string>();
  const onWords = (next: string | undefined): void => {
    setWords(next);
    search.onWords(next);
  };
  const add = (id: string | undefined): void => {
    const type = TYPES[id?.slice(0, 3) as keyof typeof TYPES];
    if (id !== undefined && type !== undefined) onChange([...targets, { type, id }]);
  };
  return (
    <div className="page-targets">
      {targets.map(({ id }, n) => (
        <span key={id} className="chip">
          {labelOf(id) ?? "Former member"}
          <Button
            look="bare"
            isIcon
            isSmall
            type="button"
            aria-label={`Remove ${labelOf(id) ?? "former member"}`}
            onClick={() => onChange(targets.toSpliced(n, 1))}
          >
            <X />
          </Button>
        </span>
      ))}
      <Combobox
        label="Targets"
        placeholder="Search schedules, teams and people…"
        options={[...filterOptions(onCall, words ?? ""), ...options].filter(({ value }) =>
          targets.every(({ id }) => id !== value),
        )}
        search={{ ...search, onWords }}
        value={undefined}
        onChange={add}
      />
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}

/** Schedules are few and always offered; teams and people are searched. */
function useTargetSearch() {
  const enabled = useMay()("on_call_schedules.list");
  const schedules = useOp("on_call_schedules.list", { query: { limit: 200 } }, { enabled });
  const teams = useTeamSearch();
  const people = usePeopleSearch();
  const onCall = (schedules.data?.data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
    group: "On-call schedules",
  }));
  const { options, search } = joinSearches(
    { ...teams, options: teams.options.map((one) => ({ ...one, group: "Teams" })) },
    { ...people, options: people.options.map((one) => ({ ...one, group: "People" })) },
  );
  return { onCall, options, search };
}
