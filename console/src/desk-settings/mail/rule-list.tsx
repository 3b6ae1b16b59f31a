import { Plus, X } from "lucide-react";
import {
  type Mailbox,
  RULE_FIELDS,
  RULE_OPERATORS,
  type RuleLine,
  toRuleLine,
  toWhen,
} from "./mailbox-draft.ts";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";
import { Row, Stack, Text } from "../../ui/layout/layout.tsx";

type Rule = Mailbox["rules"][number];

interface RuleListProps {
  readonly field: FieldBinding<readonly Rule[]>;
}

const NEW_RULE: Rule = { name: "Rule", when: { fromDomain: "" }, action: "ignore" };

/** Rules that ignore or tag e-mails. The first matching rule applies. */
export function RuleList({ field }: RuleListProps) {
  const { value, onChange, errorFor } = field;
  const rules = value ?? [];
  return (
    <Stack as="section" gap={5} align="start" aria-label="Rules">
      <Text as="h3" weight="medium">
        Rules
      </Text>
      <Stack as="ol">
        {rules.map((rule, n) => (
          <Row as="li" key={n} gap={3} wraps className="mail-rule">
            <RuleFields rule={rule} onChange={(next) => onChange(rules.with(n, next))} />
            <Button
              look="bare"
              isIcon
              isSmall
              type="button"
              aria-label={`Remove rule ${rule.name}`}
              onClick={() => onChange(rules.toSpliced(n, 1))}
            >
              <X />
            </Button>
            <RuleError text={errorFor("Rule", `/${n}`)} />
          </Row>
        ))}
      </Stack>
      <Button
        type="button"
        onClick={() => onChange([...rules, { ...NEW_RULE, name: `Rule ${rules.length + 1}` }])}
      >
        <Plus /> Add rule
      </Button>
    </Stack>
  );
}

function RuleError({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p className="field-error">{text}</p>;
}

interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const line = toRuleLine(rule);
  const set = (next: Partial<RuleLine>): void => {
    if (line) onChange({ ...rule, when: toWhen({ ...line, ...next }) });
  };
  if (!line) {
    return (
      <p className="grow">
        <strong>{rule.name}</strong> <code className="mono">{JSON.stringify(rule.when)}</code>
      </p>
    );
  }
  return (
    <>
      <Select
        aria-label="Field"
        value={line.field}
        onChange={({ target }) => set({ field: target.value })}
      >
        {RULE_FIELDS.map(([field, words]) => (
          <option key={field} value={field}>
            {words}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Operator"
        value={line.operator}
        onChange={({ target }) => set({ operator: target.value as RuleLine["operator"] })}
      >
        {RULE_OPERATORS.map(([operator, words]) => (
          <option key={operator} value={operator}>
            {words}
          </option>
        ))}
      </Select>
      <TextInput
        aria-label="Value"
        value={line.value}
        placeholder="alerts.example.com"
        onChange={({ target }) => set({ value: target.value })}
      />
      <Select
        aria-label="Action"
        value={rule.action}
        onChange={({ target }) => onChange({ ...rule, action: target.value as Rule["action"] })}
      >
        <option value="ignore">ignore e-mail</option>
        <option value="tag">add tag</option>
      </Select>
      {rule.action === "tag" && (
        <TextInput
          aria-label="Tag"
          value={rule.tag ?? ""}
          placeholder="alert"
          onChange={({ target }) => onChange({ ...rule, tag: target.value })}
        />
      )}
    </>
  );
}
