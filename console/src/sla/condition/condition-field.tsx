import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useTeams } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import "./condition.css";
import { toConditionWords } from "../policy-words.ts";
import {
  type Condition,
  type ConditionLine,
  type Operator,
  OPERATORS,
  toCondition,
  toConditionLines,
} from "./condition-lines.ts";
import type { FieldProps } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

interface ConditionFieldProps extends FieldProps<Condition> {
  readonly label: string;
  readonly nothing: string;
  /** The ticket kind, for its custom fields. */
  readonly entity?: Entity;
}

type Entity = "incident" | "request" | "problem" | "change";

const FIELDS = [
  ["priority", "Priority"],
  ["category", "Category"],
  ["severity", "Severity"],
  ["state", "State"],
  ["teamId", "Team"],
  ["impact", "Impact"],
  ["urgency", "Urgency"],
  ["isMajor", "Major"],
  ["tags", "Tags"],
] as const;

/** Comparisons that must all match. More complex conditions are read-only. */
export function ConditionField(props: ConditionFieldProps) {
  const { label, nothing, onChange, entity } = props;
  const value = props.value ?? {};
  const error = props.errorFor(label);
  const own = useOwnFields(entity);
  const lines = toConditionLines(value);
  const set = (next: readonly ConditionLine[]): void => onChange(toCondition(next));
  return (
    <fieldset className="condition" disabled={props.isDisabled}>
      <legend>{label}</legend>
      {lines === undefined && <p>{toConditionWords(value)}</p>}
      {lines?.length === 0 && <p className="muted">{nothing}</p>}
      {lines?.map((line, n) => (
        <Line
          key={n}
          line={line}
          own={own}
          onChange={(next) => set(lines.with(n, next))}
          onRemove={() => set(lines.toSpliced(n, 1))}
        />
      ))}
      {lines && (
        <Button
          look="bare"
          type="button"
          onClick={() => set([...lines, { field: freeField(lines), operator: "eq", value: "1" }])}
        >
          <Plus /> Add condition
        </Button>
      )}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}

const freeField = (lines: readonly ConditionLine[]): string =>
  FIELDS.find(([name]) => lines.every(({ field }) => field !== name))?.[0] ?? "priority";

interface OwnField {
  readonly field: string;
  readonly label: string;
  readonly choices: readonly string[];
}

function useOwnFields(entity: Entity | undefined): readonly OwnField[] {
  const may = useMay();
  const { data } = useOp(
    "desk.get_kind",
    { params: { kind: entity ?? "incident" } },
    { enabled: entity !== undefined && may("teams.list") },
  );
  if (entity === undefined) return [];
  return (data?.data.fields ?? []).map(({ key, name, type, choices }) => ({
    field: `fields.${key}`,
    label: name,
    choices: type === "boolean" ? ["true", "false"] : (choices ?? []),
  }));
}

interface LineProps {
  readonly own: readonly OwnField[];
  readonly line: ConditionLine;
  readonly onChange: (line: ConditionLine) => void;
  readonly onRemove: () => void;
}

function Line({ line, own, onChange, onRemove }: LineProps) {
  const teams = useTeams();
  const isKnown = [...FIELDS.map(([name]) => name), ...own.map(({ field }) => field)].includes(
    line.field,
  );
  const choices = own.find(({ field }) => field === line.field)?.choices ?? [];
  return (
    <div className="condition-line">
      <Select
        aria-label="Field"
        value={line.field}
        onChange={({ target }) => onChange({ ...line, field: target.value })}
      >
        {FIELDS.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
        {own.map(({ field, label }) => (
          <option key={field} value={field}>
            {label}
          </option>
        ))}
        {!isKnown && <option value={line.field}>{line.field}</option>}
      </Select>
      <Select
        aria-label="Operator"
        value={line.operator}
        onChange={({ target }) => onChange({ ...line, operator: target.value as Operator })}
      >
        {OPERATORS.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </Select>
      {line.field === "teamId" && line.operator !== "in" ? (
        <Select
          aria-label="Value"
          value={line.value}
          onChange={({ target }) => onChange({ ...line, value: target.value })}
        >
          <option value="">none</option>
          {teams.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      ) : choices.length > 0 && line.operator !== "in" ? (
        <Select
          aria-label="Value"
          value={line.value}
          onChange={({ target }) => onChange({ ...line, value: target.value })}
        >
          {!choices.includes(line.value) && <option value={line.value}>{line.value}</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice === "true" ? "yes" : choice === "false" ? "no" : choice}
            </option>
          ))}
        </Select>
      ) : (
        <TextInput
          aria-label="Value"
          value={line.value}
          onChange={({ target }) => onChange({ ...line, value: target.value })}
        />
      )}
      <Button
        look="bare"
        isIcon
        isSmall
        type="button"
        aria-label="Remove condition"
        onClick={onRemove}
      >
        <X />
      </Button>
    </div>
  );
}
