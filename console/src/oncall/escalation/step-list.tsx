import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { LineField } from "../../desk-settings/index.ts";
import type { Step } from "./page-plan.ts";
import { Targets } from "./targets.tsx";
import { Button } from "../../ui/form/button.tsx";

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
      <Button
        type="button"
        disabled={steps.length >= STEPS_MAX}
        onClick={() => onChange([...steps, { targets: [], waitMinutes: 15 }])}
      >
        <Plus /> Add a step
      </Button>
    </section>
  );
}
