/** The rules of a filter and their nested groups. */
import { FolderPlus, Plus, X } from "lucide-react";
import { type GridColumn } from "../column/column.ts";
import {
  type FilterGroup,
  type FilterNode,
  type FilterRule,
  newRule,
  NO_FILTER,
  operatorsOf,
  replaceAt,
} from "./filter-tree.ts";
import { RuleValue } from "./rule-value.tsx";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface FilterGroupsProps {
  readonly columns: readonly GridColumn[];
  readonly tree: FilterGroup;
  readonly onChange: (tree: FilterGroup) => void;
  /** The text shown before anything is selected. */
  readonly empty: string;
  /** True if people fields can be compared with the current user. */
  readonly hasSelf?: boolean;
}

export function FilterGroups({ columns, tree, onChange, empty, hasSelf }: FilterGroupsProps) {
  return (
    <>
      {tree.parts.length === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <GroupEditor
          {...{ columns, onChange }}
          hasSelf={hasSelf === true}
          group={tree}
          root={tree}
          path={[]}
        />
      )}
      <div className="filter-acts">
        <AddRule columns={columns} group={tree} onChange={onChange} />
        {tree.parts.length > 0 && (
          <Button look="bare" type="button" onClick={() => onChange(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
    </>
  );
}

interface GroupEditorProps {
  readonly columns: readonly GridColumn[];
  readonly group: FilterGroup;
  readonly root: FilterGroup;
  readonly path: readonly number[];
  readonly onChange: (root: FilterGroup) => void;
  readonly hasSelf: boolean;
}

function GroupEditor({ columns, group, root, path, onChange, hasSelf }: GroupEditorProps) {
  const put = (at: readonly number[], next: FilterNode | undefined): void =>
    onChange(replaceAt(root, at, next));
  return (
    <div className={path.length > 0 ? "filter-group inner" : "filter-group"}>
      {group.parts.map((part, n) => (
        <div key={n} className="filter-line">
          <Word group={group} n={n} onMode={(mode) => put(path, { ...group, mode })} />
          {part.kind === "group" && (
            <div className="grow">
              <GroupEditor
                {...{ columns, root, onChange, hasSelf }}
                group={part}
                path={[...path, n]}
              />
              <AddRule
                columns={columns}
                group={part}
                isInner
                onChange={(next) => put([...path, n], next)}
              />
            </div>
          )}
          {part.kind === "rule" && (
            <RuleEditor
              {...{ columns, hasSelf }}
              rule={part}
              onChange={(rule) => put([...path, n], rule)}
            />
          )}
          {part.kind === "other" && (
            <code className="grow cut">{JSON.stringify(part.condition)}</code>
          )}
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label="Remove rule"
            title="Remove"
            onClick={() => put([...path, n], undefined)}
          >
            <X />
          </Button>
        </div>
      ))}
    </div>
  );
}

function Word(props: {
  readonly group: FilterGroup;
  readonly n: number;
  readonly onMode: (mode: "and" | "or") => void;
}) {
  if (props.n === 0) return <span className="filter-word muted">Where</span>;
  if (props.n > 1) return <span className="filter-word muted">{props.group.mode}</span>;
  return (
    <Select
      className="filter-word"
      aria-label="Match all or any"
      value={props.group.mode}
      onChange={({ target }) => props.onMode(target.value as "and" | "or")}
    >
      <option value="and">and</option>
      <option value="or">or</option>
    </Select>
  );
}

function AddRule(props: {
  readonly columns: readonly GridColumn[];
  readonly group: FilterGroup;
  readonly isInner?: boolean;
  readonly onChange: (group: FilterGroup) => void;
}) {
  const { columns, group, onChange } = props;
  const [first] = columns;
  if (!first) return null;
  const add = (node: FilterNode): void => onChange({ ...group, parts: [...group.parts, node] });
  const inner: FilterGroup = {
    kind: "group",
    mode: group.mode === "and" ? "or" : "and",
    parts: [newRule(first)],
  };
  return (
    <>
      <Button look="bare" type="button" onClick={() => add(newRule(first))}>
        <Plus /> Add rule
      </Button>
      {!props.isInner && (
        <Button look="bare" type="button" onClick={() => add(inner)}>
          <FolderPlus /> Add group
        </Button>
      )}
    </>
  );
}

interface RuleEditorProps {
  readonly columns: readonly GridColumn[];
  readonly rule: FilterRule;
  readonly hasSelf: boolean;
  readonly onChange: (rule: FilterRule) => void;
}

function RuleEditor({ columns, rule, hasSelf, onChange }: RuleEditorProps) {
  const column = columns.find(({ name }) => name === rule.field);
  const operators = column ? operatorsOf(column) : [];
  const operator = operators.find(({ id }) => id === rule.operator);
  return (
    <>
      <Select
        aria-label="Column"
        value={rule.field}
        onChange={({ target }) => {
          const next = columns.find(({ name }) => name === target.value);
          if (next) onChange(newRule(next));
        }}
      >
        {!column && <option value={rule.field}>{rule.field}</option>}
        {columns.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Operator"
        value={rule.operator}
        onChange={({ target }) => {
          const next = operators.find(({ id }) => id === target.value);
          const isKept = Boolean(next?.isMany) === Boolean(operator?.isMany);
          onChange({ ...rule, operator: target.value, value: isKept ? rule.value : null });
        }}
      >
        {!operator && <option value={rule.operator}>{rule.operator}</option>}
        {operators.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      {column && !operator?.isBare && (
        <RuleValue
          column={column}
          isMany={operator?.isMany === true}
          hasSelf={hasSelf}
          value={rule.value}
          onChange={(value) => onChange({ ...rule, value })}
        />
      )}
    </>
  );
}
