import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { LineField, usePeopleOptions } from "../../desk-settings/index.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import type { Step, Target } from "./page-plan.ts";

const STEPS_MAX = 10;

interface StepListProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

/** Steps one after the other: whom to page, and how long to wait for an answer. */
export function StepList({ steps, onChange, errorOf }: StepListProps) {
  return (
    <section className="steps" aria-label="Steps">
      <h3>Steps</h3>
      <ol>
        {steps.map((step, n) => (
          <li key={n} className="step">
            <div className="step-head">
              <span className="step-place">{n + 1}</span>
              <strong className="grow">{n === 0 ? "At once" : "Then"}</strong>
              <button
                type="button"
                className="btn bare icon small"
                aria-label={`Remove step ${n + 1}`}
                disabled={steps.length === 1}
                onClick={() => onChange(steps.toSpliced(n, 1))}
              >
                <X />
              </button>
            </div>
            <Targets
              targets={step.targets}
              onChange={(targets) => onChange(steps.with(n, { ...step, targets: [...targets] }))}
              error={errorOf(`/steps/${n}/targets`) ?? errorOf(`/steps/${n}/targets/0/id`)}
            />
            <LineField
              label="Minutes to acknowledge"
              value={String(step.waitMinutes)}
              onChange={(text) =>
                onChange(
                  steps.with(n, { ...step, waitMinutes: Number(text.replaceAll(/\D/g, "")) }),
                )
              }
              error={errorOf(`/steps/${n}/waitMinutes`)}
            />
          </li>
        ))}
      </ol>
      <button
        type="button"
        className="btn"
        disabled={steps.length >= STEPS_MAX}
        onClick={() => onChange([...steps, { targets: [], waitMinutes: 15 }])}
      >
        <Plus /> Add a step
      </button>
    </section>
  );
}

interface TargetsProps {
  readonly targets: readonly Target[];
  readonly onChange: (targets: readonly Target[]) => void;
  readonly error: string | undefined;
}

const TYPES = { ocs: "schedule", tem: "team", usr: "user" } as const;

function Targets({ targets, onChange, error }: TargetsProps) {
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
