import { Plus, Trash2 } from "lucide-react";
import type { Schemas } from "../../data/api.ts";
import { ApproverList } from "../../data/options/picked-list.tsx";
import { Field } from "../../ui/field.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";
import { Stack } from "../../ui/layout/layout.tsx";
import {
  type ApprovalStep,
  approverOf,
  lacksApprovers,
  stepsOf,
  withSteps,
  wordOf,
} from "./approval-steps.ts";

type Approval = Schemas["CatalogItem"]["approval"];

const STEPS_MAX = 10;
const QUORUM_MAX = 50;
const FIRST_QUORUM = 2;
const TIMES = [
  { name: "remindAfterHours", label: "Remind approvers every", max: 720 },
  { name: "expiresAfterHours", label: "Reject if not approved within", max: 8_760 },
] as const;

/** Edits the approval of an item: steps, reminders and expiry. */
export function ApprovalFields(props: {
  readonly approval: Approval;
  readonly onChange: (approval: Approval) => void;
}) {
  const { approval, onChange } = props;
  const steps = stepsOf(approval);
  const setSteps = (next: readonly ApprovalStep[]): void => onChange(withSteps(approval, next));
  return (
    <>
      <label className="cat-check">
        <CheckBox
          checked={approval.required}
          onChange={({ target }) => onChange({ ...approval, required: target.checked })}
        />
        Requires approval
      </label>
      {approval.required && (
        <>
          {steps.map((step, index) => (
            <StepFields
              key={index}
              step={step}
              title={steps.length > 1 ? `Step ${index + 1}` : undefined}
              onChange={(next) => setSteps(steps.with(index, next))}
              onRemove={() => setSteps(steps.toSpliced(index, 1))}
            />
          ))}
          {lacksApprovers(steps) && <p role="alert">Each step needs at least one approver.</p>}
          {steps.length < STEPS_MAX && (
            <Button
              disabled={steps.at(-1)?.approvers.length === 0}
              title="Starts when the previous step is approved"
              onClick={() => setSteps([...steps, { approvers: [], rule: "any" }])}
            >
              <Plus /> Add step
            </Button>
          )}
          {TIMES.map(({ name, label, max }) => (
            <Field key={name} label={label} isOptional>
              {(attributes) => (
                <span className="row">
                  <TextInput
                    {...attributes}
                    type="number"
                    min={1}
                    max={max}
                    placeholder="Never"
                    value={approval[name] ?? ""}
                    onChange={({ target: { value } }) =>
                      onChange({ ...approval, [name]: value === "" ? null : Number(value) })
                    }
                  />
                  hours
                </span>
              )}
            </Field>
          ))}
        </>
      )}
    </>
  );
}

interface StepProps {
  readonly step: ApprovalStep;
  /** Undefined for a single step. */
  readonly title: string | undefined;
  readonly onChange: (step: ApprovalStep) => void;
  readonly onRemove: () => void;
}

function StepFields({ step, title, onChange, onRemove }: StepProps) {
  const setRule = (rule: string): void => {
    if (rule === "quorum") onChange({ ...step, rule, quorum: step.quorum ?? FIRST_QUORUM });
    else onChange({ approvers: step.approvers, rule: rule === "all" ? "all" : "any" });
  };
  const of = title === undefined ? "" : ` of ${title.toLowerCase()}`;
  return (
    <Stack as="section" gap={4} aria-label={title}>
      {title !== undefined && (
        <div className="row">
          <strong className="grow">{title}</strong>
          <Button
            look="bare"
            isIcon
            aria-label={`Delete ${title.toLowerCase()}`}
            onClick={onRemove}
          >
            <Trash2 />
          </Button>
        </div>
      )}
      <ApproverList
        isWide
        label={`Approvers${of}`}
        help={title === undefined ? "Default: all members who can fulfil requests" : ""}
        error={undefined}
        isReader={false}
        values={step.approvers.map(wordOf)}
        onChange={(words) => onChange({ ...step, approvers: words.map(approverOf) })}
      />
      <Field label={`Approvals needed${of}`}>
        {(attributes) => (
          <Select
            {...attributes}
            value={step.rule ?? "any"}
            onChange={({ target }) => setRule(target.value)}
          >
            <option value="any">One approver</option>
            <option value="all">All approvers</option>
            <option value="quorum">A number of approvers</option>
          </Select>
        )}
      </Field>
      {step.rule === "quorum" && (
        <Field label={`Number of approvers${of}`}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              min={1}
              max={QUORUM_MAX}
              value={step.quorum ?? ""}
              onChange={({ target: { value } }) =>
                onChange({ ...step, quorum: value === "" ? null : Number(value) })
              }
            />
          )}
        </Field>
      )}
    </Stack>
  );
}
