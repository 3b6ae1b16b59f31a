/** Builds a filter without a line of JSON, and shows the request that it makes. */
import { FolderPlus, ListFilter, Plus, Terminal, X } from "lucide-react";
import { useMemo } from "react";
import { toCurl } from "../../data/curl.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Popover } from "../../ui/overlay/popover.tsx";
import { type GridColumn, toLabel } from "../column/column.ts";
import {
  type Condition,
  countRules,
  type FilterGroup,
  type FilterNode,
  type FilterRule,
  fromCondition,
  newRule,
  NO_FILTER,
  operatorsOf,
  replaceAt,
  toCondition,
} from "./filter-tree.ts";
import { RuleValue } from "./rule-value.tsx";
import { useFilterDraft } from "./use-filter-draft.ts";

interface FilterBuilderProps {
  readonly columns: readonly GridColumn[];
  readonly filter: Condition;
  readonly onChange: (filter: Condition) => void;
  /** The request that it is part of. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number>>;
}

export function FilterBuilder(props: FilterBuilderProps) {
  const { columns, filter, onChange } = props;
  const { tree, setTree } = useFilterDraft(filter, onChange);
  const rules = useMemo(() => countRules(fromCondition(filter)), [filter]);
  const curl = toCurl(props.path, { ...props.query, filter: JSON.stringify(toCondition(tree)) });
  return (
    <Popover
      align="start"
      label={rules === 0 ? "Filter" : `Filter, ${rules} in use`}
      className={rules === 0 ? "btn bare" : "btn bare used"}
      button={
        <>
          <ListFilter /> <span className="wide-only">Filter</span>
          {rules > 0 && <span className="count">{rules}</span>}
        </>
      }
    >
      {() => (
        <div className="filter-box">
          {tree.parts.length === 0 ? (
            <p className="muted">All records are shown. Add a rule to see some of them.</p>
          ) : (
            <GroupEditor {...{ columns }} group={tree} root={tree} path={[]} onChange={setTree} />
          )}
          <div className="filter-acts">
            <AddRule columns={columns} group={tree} onChange={setTree} />
            {tree.parts.length > 0 && (
              <button className="btn bare" onClick={() => setTree(NO_FILTER)}>
                Clear
              </button>
            )}
          </div>
          <details className="filter-code">
            <summary>
              <Terminal className="ico" /> As a request
            </summary>
            <pre>{curl}</pre>
            <button className="btn" onClick={() => void copyText(curl, "The curl line is")}>
              Copy
            </button>
          </details>
        </div>
      )}
    </Popover>
  );
}

interface GroupEditorProps {
  readonly columns: readonly GridColumn[];
  readonly group: FilterGroup;
  readonly root: FilterGroup;
  readonly path: readonly number[];
  readonly onChange: (root: FilterGroup) => void;
}

function GroupEditor({ columns, group, root, path, onChange }: GroupEditorProps) {
  const put = (at: readonly number[], next: FilterNode | undefined): void =>
    onChange(replaceAt(root, at, next));
  return (
    <div className={path.length > 0 ? "filter-group inner" : "filter-group"}>
      {group.parts.map((part, n) => (
        <div key={n} className="filter-line">
          <Word group={group} n={n} onMode={(mode) => put(path, { ...group, mode })} />
          {part.kind === "group" && (
            <div className="grow">
              <GroupEditor {...{ columns, root, onChange }} group={part} path={[...path, n]} />
              <AddRule
                columns={columns}
                group={part}
                isInner
                onChange={(next) => put([...path, n], next)}
              />
            </div>
          )}
          {part.kind === "rule" && (
            <RuleEditor {...{ columns }} rule={part} onChange={(rule) => put([...path, n], rule)} />
          )}
          {part.kind === "other" && (
            <code className="grow cut">{JSON.stringify(part.condition)}</code>
          )}
          <button
            className="btn bare icon"
            aria-label="Remove this rule"
            title="Remove"
            onClick={() => put([...path, n], undefined)}
          >
            <X />
          </button>
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
    <select
      className="field filter-word"
      aria-label="All or any"
      value={props.group.mode}
      onChange={({ target }) => props.onMode(target.value as "and" | "or")}
    >
      <option value="and">and</option>
      <option value="or">or</option>
    </select>
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
      <button className="btn bare" onClick={() => add(newRule(first))}>
        <Plus /> Rule
      </button>
      {!props.isInner && (
        <button className="btn bare" onClick={() => add(inner)}>
          <FolderPlus /> Group
        </button>
      )}
    </>
  );
}

interface RuleEditorProps {
  readonly columns: readonly GridColumn[];
  readonly rule: FilterRule;
  readonly onChange: (rule: FilterRule) => void;
}

function RuleEditor({ columns, rule, onChange }: RuleEditorProps) {
  const column = columns.find(({ name }) => name === rule.field);
  const operators = column ? operatorsOf(column) : [];
  const operator = operators.find(({ id }) => id === rule.operator);
  return (
    <>
      <select
        className="field"
        aria-label="Column"
        value={rule.field}
        onChange={({ target }) => {
          const next = columns.find(({ name }) => name === target.value);
          if (next) onChange(newRule(next));
        }}
      >
        {!column && <option value={rule.field}>{rule.field}</option>}
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {toLabel(name)}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Comparison"
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
      </select>
      {column && !operator?.isBare && (
        <RuleValue
          column={column}
          isMany={operator?.isMany === true}
          value={rule.value}
          onChange={(value) => onChange({ ...rule, value })}
        />
      )}
    </>
  );
}
