import "../../ui/display/steps.css";
import { SLA_CLOCK_METRIC, SLA_TARGET_FROM } from "@millrace/client/enums";
import { Plus, X } from "lucide-react";
import { Unfold } from "../../ui/overlay/unfold.tsx";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { choicesOf } from "../../ui/form/choices.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ConditionField } from "../condition/condition-field.tsx";
import { toTimeWords } from "../policy-words.ts";
import type { Target } from "./policy-draft.ts";
import { WarningsField } from "./warnings-field.tsx";
import { Button } from "../../ui/form/button.tsx";

const METRICS = choicesOf(SLA_CLOCK_METRIC, {
  response: "First response",
  resolution: "Resolution",
  next_reply: "Each reply",
  custom: "Custom",
});

const COUNTS_FROM = choicesOf(SLA_TARGET_FROM, {
  creation: "Ticket creation",
  match: "Policy match, only while it matches",
});

const RULES = [
  ["startWhen", "Start condition", "Immediately."],
  ["pauseWhen", "Pause condition", "Only in the states above."],
  ["stopWhen", "Completion condition", "Default of the metric."],
  ["resetWhen", "Restart condition", "Never."],
] as const;

/** The targets: each has a time, and optional rules. */
export function TargetList(field: FieldBinding<readonly Target[]>) {
  const { onChange, errorFor } = field;
  const targets = field.value ?? [];
  const error = errorFor("Targets");
  return (
    <section className="steps" aria-label="Targets">
      <h3>Targets</h3>
      <ol>
        {targets.map((_, n) => (
          <li key={n} className="step">
            <TargetFields
              {...partOf(field, n)}
              onRemove={targets.length > 1 ? () => onChange(targets.toSpliced(n, 1)) : undefined}
            />
          </li>
        ))}
      </ol>
      {error !== undefined && <p className="field-error">{error}</p>}
      <Button
        type="button"
        onClick={() => onChange([...targets, { metric: "next_reply", minutes: 60 }])}
      >
        <Plus /> Add target
      </Button>
    </section>
  );
}

/** Adds the policy's warnings to a target without warnings. */
function withWarnings(target: Target, warnings: readonly number[]): Target {
  const { warnAtPercent: _, ...rest } = target;
  return warnings.length === 0 ? rest : { ...rest, warnAtPercent: [...warnings] };
}

interface TargetFieldsProps extends FieldBinding<Target> {
  readonly onRemove: (() => void) | undefined;
}

const OPTIONAL = {};

function TargetFields({ onRemove, ...field }: TargetFieldsProps) {
  const { value: target, onChange } = field;
  if (!target) return null;
  const hasRules =
    RULES.some(([name]) => target[name] !== undefined) ||
    target.from === "match" ||
    target.warnAtPercent !== undefined;
  return (
    <>
      <div className="target-line">
        <SelectField {...partOf(field, "metric")} label="Metric" options={METRICS} />
        <NumberField
          {...partOf(field, "minutes")}
          value={target.minutes || null}
          onChange={(minutes) => onChange({ ...target, minutes: minutes ?? 0 })}
          help={target.minutes > 0 ? toTimeWords(target.minutes) : undefined}
        />
        {onRemove && (
          <IconButton isSmall label="Remove target" onPress={onRemove}>
            <X />
          </IconButton>
        )}
      </div>
      <Unfold className="target-rules" isOpen={hasRules} summary="More options">
        <div className="target-rule-fields">
          <TextField {...partOf(field, "name", OPTIONAL)} />
          <SelectField
            {...partOf(field, "from")}
            value={target.from ?? "creation"}
            label="Start of the time"
            options={COUNTS_FROM}
          />
          <WarningsField
            {...partOf(field, "warnAtPercent", OPTIONAL)}
            onChange={(warnings) => onChange(withWarnings(target, warnings ?? []))}
          />
          {RULES.map(([name, label, nothing]) => (
            <ConditionField
              key={name}
              {...partOf(field, name, OPTIONAL)}
              label={label}
              nothing={nothing}
            />
          ))}
        </div>
      </Unfold>
    </>
  );
}
