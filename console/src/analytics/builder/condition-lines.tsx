import { Plus, X } from "lucide-react";
import { useState } from "react";
import { type Line, needsValue, operatorsOf, toCondition, toLines } from "./conditions.ts";
import type { Fields } from "./model.ts";
import { PERIODS } from "./periods.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

type Condition = Readonly<Record<string, unknown>>;

interface ConditionLinesProps {
  readonly label: string;
  readonly fields: Fields;
  readonly value: Condition | undefined;
  readonly onChange: (value: Condition) => void;
}

/** A filter editor without JSON. */
export function ConditionLines({ label, fields, value, onChange }: ConditionLinesProps) {
  const known = toLines(value);
  const [lines, setLines] = useState(known ?? []);
  const [seen, setSeen] = useState(JSON.stringify(value ?? {}));
  const typeOf = (field: string): string =>
    fields.find(({ name }) => name === field)?.type ?? "text";
  // After an undo, the lines are updated from the value.
  const current = JSON.stringify(value ?? {});
  if (current !== seen) {
    setSeen(current);
    if (current !== JSON.stringify(toCondition(lines, typeOf))) setLines(known ?? []);
  }
  const put = (next: readonly Line[]): void => {
    setLines([...next]);
    onChange(toCondition(next, typeOf));
  };
  if (!known) return <code className="build-code">{JSON.stringify(value)}</code>;
  const add = (): void => {
    const [first] = fields;
    if (!first) return;
    const [operator = "eq"] = operatorsOf(first.type)[0] ?? [];
    put([...lines, { field: first.name, operator, value: "" }]);
  };
  return (
    <div className="build-lines" role="group" aria-label={label}>
      {lines.map((line, n) => (
        <RuleLine
          key={n}
          {...{ line, fields, n }}
          type={typeOf(line.field)}
          onChange={(next) => put(lines.map((one, at) => (at === n ? next : one)))}
          onRemove={() => put(lines.filter((_, at) => at !== n))}
        />
      ))}
      <Button look="bare" type="button" onClick={add} disabled={fields.length === 0}>
        <Plus /> Add rule
      </Button>
    </div>
  );
}

interface RuleLineProps {
  readonly line: Line;
  readonly n: number;
  readonly type: string;
  readonly fields: Fields;
  readonly onChange: (line: Line) => void;
  readonly onRemove: () => void;
}

function RuleLine({ line, n, type, fields, onChange, onRemove }: RuleLineProps) {
  const operators = operatorsOf(type);
  const setField = (field: string): void => {
    const next = fields.find(({ name }) => name === field)?.type ?? "text";
    const [operator = "eq"] = operatorsOf(next)[0] ?? [];
    onChange({ field, operator, value: "" });
  };
  return (
    <div className="build-line">
      <Select
        aria-label={`Field of rule ${n + 1}`}
        value={line.field}
        onChange={({ target }) => setField(target.value)}
      >
        {fields.map(({ name, title }) => (
          <option key={name} value={name}>
            {title ?? name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`Operator of rule ${n + 1}`}
        value={line.operator}
        onChange={({ target }) => onChange({ ...line, operator: target.value })}
      >
        {operators.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </Select>
      {needsValue(line.operator) && <RuleValue {...{ line, n, type, onChange }} />}
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label={`Remove rule ${n + 1}`}
        onClick={onRemove}
      >
        <X />
      </Button>
    </div>
  );
}

function RuleValue({
  line,
  n,
  type,
  onChange,
}: Pick<RuleLineProps, "line" | "n" | "type" | "onChange">) {
  const label = `Value of rule ${n + 1}`;
  const put = (value: string): void => onChange({ ...line, value });
  if (type === "boolean")
    return (
      <Select aria-label={label} value={line.value} onChange={({ target }) => put(target.value)}>
        <option value="">…</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </Select>
    );
  const isTime = type === "time" || type === "date";
  return (
    <>
      <TextInput
        aria-label={label}
        value={line.value}
        inputMode={type === "number" ? "decimal" : "text"}
        placeholder={isTime ? "$now-7d or 2026-01-31" : ""}
        list={isTime ? "build-moments" : undefined}
        onChange={({ target }) => put(target.value)}
      />
      {isTime && (
        <datalist id="build-moments">
          {PERIODS.map(({ from, label: words }) => (
            <option key={from} value={from}>
              {words}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}
