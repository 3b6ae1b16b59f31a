import { SLA_CLOCK_METRIC, SLA_TARGET_FROM } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { Unfold } from "../../ui/overlay/unfold.tsx";
import { LineField, SelectField } from "../../desk-settings/index.ts";
import { ConditionField } from "../condition/condition-field.tsx";
import { toTimeWords } from "../policy-words.ts";
import type { Target } from "./policy-draft.ts";
import { WarningsField } from "./warnings-field.tsx";
import { Button } from "../../ui/form/button.tsx";

interface TargetListProps {
  readonly targets: readonly Target[];
  readonly onChange: (targets: readonly Target[]) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

const METRICS = choicesOf(SLA_CLOCK_METRIC, {
  response: "First response",
  resolution: "Resolution",
  next_reply: "Each reply",
  custom: "As its rules say",
});

const RULES = [
  ["startWhen", "Starts when", "At once."],
  ["pauseWhen", "Rests while", "Only in the states above."],
  ["stopWhen", "Is met when", "At its own end."],
  ["resetWhen", "Begins anew when", "Never."],
] as const;

/** What is promised: for each target a time, and rules where its own are not enough. */
export function TargetList({ targets, onChange, errorOf }: TargetListProps) {
  return (
    <section className="steps" aria-label="Targets">
      <h3>Targets</h3>
      <ol>
        {targets.map((target, n) => (
          <li key={n} className="step">
            <TargetFields
              target={target}
              n={n}
              onChange={(next) => onChange(targets.with(n, next))}
              onRemove={targets.length > 1 ? () => onChange(targets.toSpliced(n, 1)) : undefined}
              errorOf={errorOf}
            />
          </li>
        ))}
      </ol>
      <Button
        type="button"
        onClick={() => onChange([...targets, { metric: "next_reply", minutes: 60 }])}
      >
        <Plus /> Add a target
      </Button>
    </section>
  );
}

/** A target without warnings of its own has those of its policy. */
function withWarnings(target: Target, warnings: readonly number[]): Target {
  const { warnAtPercent: _, ...rest } = target;
  return warnings.length === 0 ? rest : { ...rest, warnAtPercent: [...warnings] };
}

interface TargetFieldsProps {
  readonly target: Target;
  readonly n: number;
  readonly onChange: (target: Target) => void;
  readonly onRemove: (() => void) | undefined;
  readonly errorOf: (pointer: string) => string | undefined;
}

function TargetFields({ target, n, onChange, onRemove, errorOf }: TargetFieldsProps) {
  const at = `/targets/${n}`;
  const hasRules =
    RULES.some(([name]) => target[name] !== undefined) ||
    target.from === "match" ||
    target.warnAtPercent !== undefined;
  return (
    <>
      <div className="target-line">
        <SelectField
          label="What"
          value={target.metric}
          options={METRICS}
          onChange={(metric) => onChange({ ...target, metric })}
          error={errorOf(`${at}/metric`)}
        />
        <LineField
          label="Minutes"
          value={String(target.minutes)}
          onChange={(text) =>
            onChange({ ...target, minutes: Number(text.replaceAll(/[^\d.]/g, "")) })
          }
          help={target.minutes > 0 ? toTimeWords(target.minutes) : undefined}
          error={errorOf(`${at}/minutes`)}
        />
        {onRemove && (
          <Button
            look="bare"
            isIcon
            isSmall
            type="button"
            aria-label="Remove the target"
            onClick={onRemove}
          >
            <X />
          </Button>
        )}
      </div>
      <Unfold className="target-rules" isOpen={hasRules} summary="Rules">
        <div className="target-rule-fields">
          <LineField
            label="Name"
            value={target.name ?? ""}
            onChange={(name) => onChange({ ...target, name })}
            error={errorOf(`${at}/name`)}
            isOptional
          />
          <SelectField
            label="Counts from"
            value={target.from ?? "creation"}
            options={choicesOf(SLA_TARGET_FROM, {
              creation: "the ticket's creation",
              match: "when the policy fits, and only while it does",
            })}
            onChange={(from) => onChange({ ...target, from })}
          />
          <WarningsField
            value={target.warnAtPercent ?? []}
            onChange={(warnings) => onChange(withWarnings(target, warnings))}
            error={errorOf(`${at}/warnAtPercent`) ?? errorOf(`${at}/warnAtPercent/0`)}
          />
          {RULES.map(([name, label, nothing]) => (
            <ConditionField
              key={name}
              label={label}
              nothing={nothing}
              value={target[name] ?? {}}
              onChange={(condition) => onChange({ ...target, [name]: condition })}
              error={errorOf(`${at}/${name}`)}
            />
          ))}
        </div>
      </Unfold>
    </>
  );
}
