import { Trash2 } from "lucide-react";
import type { Schemas } from "../../data/api.ts";
import { type GridColumn, titleOfColumn } from "../column/column.ts";
import { FilterGroups } from "../filter/filter-groups.tsx";
import { useFilterDraft } from "../filter/use-filter-draft.ts";
import { ACTIONS, describeRule, type Rule, ruleFault, toggle } from "./rule-draft.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox } from "../../ui/form/controls.tsx";

export type Role = Schemas["ListedRole"];

/** Access rules do not apply to these roles. */
const UNBOUND = new Set(["owner", "admin"]);

interface RuleCardProps {
  readonly rule: Rule;
  readonly columns: readonly GridColumn[];
  readonly roles: readonly Role[];
  readonly disabled: string | undefined;
  /** Undefined removes the rule. */
  readonly onChange: (rule: Rule | undefined) => void;
}

export function RuleCard({ rule, columns, roles, disabled, onChange }: RuleCardProps) {
  const nameOf = (id: string): string => roles.find((role) => role.id === id)?.name ?? id;
  const titleOf = (field: string): string => titleOfColumn(columns, field);
  const bound = roles.filter(({ id }) => !UNBOUND.has(id));
  const setFields = (fields: readonly string[] | undefined): void => {
    const { fields: _, ...rest } = rule;
    onChange(fields ? { ...rest, fields: [...fields] } : rest);
  };
  const fault = ruleFault(rule);
  return (
    <fieldset className="rule-card" disabled={disabled !== undefined}>
      <legend className="hide">{describeRule(rule, nameOf, titleOf)}</legend>
      <div className="rule-head">
        <p className="grow">{describeRule(rule, nameOf, titleOf)}</p>
        <Button
          look="bare"
          isIcon
          type="button"
          aria-label="Remove rule"
          title={disabled ?? "Remove rule"}
          onClick={() => onChange(undefined)}
        >
          <Trash2 />
        </Button>
      </div>
      <Picks
        label="Role"
        options={[["*", "Everyone"], ...bound.map(({ id, name }) => [id, name] as const)]}
        chosen={rule.roles}
        onToggle={(id) => onChange({ ...rule, roles: [...toggle(rule.roles, id)] })}
      />
      <Picks
        label="Can"
        options={ACTIONS}
        chosen={rule.actions}
        onToggle={(id) =>
          onChange({
            ...rule,
            actions: [...toggle(rule.actions, id as (typeof rule.actions)[number])],
          })
        }
      />
      <Where rule={rule} columns={columns} onChange={onChange} />
      <label className="check-line">
        <CheckBox
          checked={rule.fields === undefined}
          onChange={({ target }) => setFields(target.checked ? undefined : [])}
        />
        All fields
      </label>
      {rule.fields && (
        <Picks
          label="Fields"
          options={columns.map(({ name, title }) => [name, title])}
          chosen={rule.fields}
          onToggle={(name) => setFields(toggle(rule.fields ?? [], name))}
        />
      )}
      {fault !== undefined && <p className="field-error">{fault}</p>}
    </fieldset>
  );
}

function Where({ rule, columns, onChange }: Pick<RuleCardProps, "rule" | "columns" | "onChange">) {
  const { tree, setTree } = useFilterDraft(rule.where ?? NO_CONDITION, (where) => {
    const { where: _, ...rest } = rule;
    onChange(Object.keys(where).length === 0 ? rest : { ...rest, where });
  });
  return (
    <div className="rule-where">
      <FilterGroups
        columns={columns.filter(({ type }) => type !== "json")}
        tree={tree}
        onChange={setTree}
        empty="All records"
        hasSelf
      />
    </div>
  );
}

const NO_CONDITION = {};

interface PicksProps {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: readonly string[];
  readonly onToggle: (id: string) => void;
}

function Picks({ label, options, chosen, onToggle }: PicksProps) {
  return (
    <div className="rule-picks" role="group" aria-label={label}>
      <span className="muted rule-label">{label}</span>
      <div className="choice-set">
        {options.map(([id, words]) => (
          <label key={id} className={chosen.includes(id) ? "choice-pick on" : "choice-pick"}>
            <CheckBox
              className="sr-only"
              checked={chosen.includes(id)}
              onChange={() => onToggle(id)}
            />
            {words}
          </label>
        ))}
      </div>
    </div>
  );
}
