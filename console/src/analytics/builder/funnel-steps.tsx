import { Plus, X } from "lucide-react";
import { ConditionLines } from "./condition-lines.tsx";
import type { PartProps } from "./part.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

/** Edits the funnel steps and their rules. */
export function FunnelSteps({ draft, fields, onChange }: PartProps) {
  const { funnel } = draft;
  if (!funnel) return null;
  const put = (steps: typeof funnel.steps): void =>
    onChange({ ...draft, funnel: { ...funnel, steps } });
  return (
    <div className="field-box">
      <span className="build-label">Steps</span>
      {funnel.steps.map((step, n) => (
        <div key={n} className="build-step">
          <div className="build-line">
            <TextInput
              aria-label={`Name of step ${n + 1}`}
              value={step.name}
              onChange={({ target }) =>
                put(
                  funnel.steps.map((one, at) =>
                    at === n ? { ...one, name: target.value || "Step" } : one,
                  ),
                )
              }
            />
            {funnel.steps.length > 2 && (
              <Button
                look="bare"
                isIcon
                type="button"
                aria-label={`Remove step ${n + 1}`}
                onClick={() => put(funnel.steps.filter((_, at) => at !== n))}
              >
                <X />
              </Button>
            )}
          </div>
          <ConditionLines
            label={`Rules of step ${n + 1}`}
            fields={fields}
            value={step.filter}
            onChange={(filter) =>
              put(funnel.steps.map((one, at) => (at === n ? { ...one, filter } : one)))
            }
          />
        </div>
      ))}
      <Button
        look="bare"
        type="button"
        onClick={() =>
          put([...funnel.steps, { name: `Step ${funnel.steps.length + 1}`, filter: {} }])
        }
      >
        <Plus /> Add step
      </Button>
    </div>
  );
}
