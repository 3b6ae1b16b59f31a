import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { NumberField } from "../../ui/form/number-field.tsx";
import type { Step } from "./page-plan.ts";
import { Targets } from "./targets.tsx";
import { Button } from "../../ui/form/button.tsx";

const STEPS_MAX = 10;
const MINUTES = { required: true, type: "integer", minimum: 1 } as const;

interface StepListProps {
  readonly field: FieldBinding<readonly Step[]>;
}

/** The steps of a policy: recipients, and the time to wait for an acknowledgement. */
export function StepList({ field }: StepListProps) {
  const { value, onChange, errorFor } = field;
  const steps = value ?? [];
  return (
    <section className="steps" aria-label="Steps">
      <h3>Steps</h3>
      <ol>
        {steps.map((step, n) => (
          <li key={n} className="step">
            <div className="step-head">
              <span className="step-place">{n + 1}</span>
              <strong className="grow">{n === 0 ? "First" : "Then"}</strong>
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Remove step ${n + 1}`}
                disabled={steps.length === 1}
                onClick={() => onChange(steps.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </div>
            <Targets
              targets={step.targets}
              onChange={(targets) => onChange(steps.with(n, { ...step, targets: [...targets] }))}
              error={errorFor("Targets", `/${n}/targets`)}
            />
            <NumberField
              {...partOf(partOf(field, n), "waitMinutes", MINUTES)}
              label="Minutes to acknowledge"
            />
          </li>
        ))}
      </ol>
      <Button
        type="button"
        disabled={steps.length >= STEPS_MAX}
        onClick={() => onChange([...steps, { targets: [], waitMinutes: 15 }])}
      >
        <Plus /> Add step
      </Button>
    </section>
  );
}
