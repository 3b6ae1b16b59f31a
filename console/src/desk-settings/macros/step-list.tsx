import "../../ui/display/steps.css";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import { ACT_WORDS, ACTS, moveStep, newStep, type Step } from "./macro-steps.ts";
import { StepFields } from "./step-fields.tsx";
import { Button } from "../../ui/form/button.tsx";

interface StepListProps {
  readonly field: FieldBinding<readonly Step[]>;
}

/** The steps of a macro in execution order. */
export function StepList({ field }: StepListProps) {
  const { value, onChange, errorFor } = field;
  const steps = value ?? [];
  const error = errorFor("Actions");
  return (
    <section className="steps" aria-label="Actions">
      <h3>Actions</h3>
      <ol>
        {steps.map((step, n) => (
          <li key={`${n}${step.act}`} className="step">
            <header className="step-head">
              <span className="step-place">{n + 1}</span>
              <strong className="grow">{ACT_WORDS[step.act]}</strong>
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Move ${ACT_WORDS[step.act]} up`}
                disabled={n === 0}
                onClick={() => onChange(moveStep(steps, n, -1))}
              >
                <ArrowUp />
              </Button>
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Move ${ACT_WORDS[step.act]} down`}
                disabled={n === steps.length - 1}
                onClick={() => onChange(moveStep(steps, n, 1))}
              >
                <ArrowDown />
              </Button>
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Remove ${ACT_WORDS[step.act]}`}
                disabled={steps.length === 1}
                onClick={() => onChange(steps.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </header>
            <StepFields step={step} field={partOf(field, n)} />
          </li>
        ))}
      </ol>
      {error !== undefined && <p className="field-error">{error}</p>}
      <Menu
        label="Add action"
        className="btn"
        align="start"
        items={ACTS.map((act) => ({
          label: ACT_WORDS[act],
          onPick: () => onChange([...steps, newStep(act)]),
        }))}
      >
        <Plus /> Add action
      </Menu>
    </section>
  );
}
