import { ArrowDown, ArrowUp } from "lucide-react";
import { useNames } from "../../data/people.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import type { Sort } from "./order.ts";
import type { summariseRuns } from "./recent-runs.ts";
import { type Listed, WorkflowRow } from "./row.tsx";

const COLUMNS: readonly (readonly [string, Sort | undefined, boolean])[] = [
  ["Name", "name", false],
  ["Published", undefined, false],
  ["Trigger", undefined, true],
  ["Runs", undefined, false],
  ["Failed in 24 h", "failures", true],
  ["Last run", "runs", true],
  ["Changed", "changed", true],
];

/** The workflows in rows; a press on a column orders them. */
export function WorkflowTable(props: {
  readonly workflows: readonly Listed[];
  readonly summaries: ReturnType<typeof summariseRuns>;
  readonly sort: string;
  readonly chosen: string | undefined;
  readonly itemsOf: (workflow: Listed) => readonly MenuItem[];
  readonly onSort: (sort: string) => void;
}) {
  const nameOf = useNames();
  return (
    <div className="scroll workflow-scroll">
      <table className="workflow-table">
        <thead>
          <tr>
            {COLUMNS.map(([label, by, isWide]) => (
              <Column
                key={label}
                label={label}
                by={by}
                isWide={isWide}
                sort={props.sort}
                onSort={props.onSort}
              />
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {props.workflows.map((workflow) => (
            <WorkflowRow
              key={workflow.id}
              workflow={workflow}
              summary={props.summaries.get(workflow.id)}
              author={nameOf(workflow.createdBy)}
              isChosen={workflow.id === props.chosen}
              items={props.itemsOf(workflow)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Column(props: {
  readonly label: string;
  readonly by: Sort | undefined;
  readonly isWide: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const { label, by, sort } = props;
  const isBy = by !== undefined && sort.replace("-", "") === by;
  const isReverse = sort.startsWith("-");
  return (
    <th
      scope="col"
      className={props.isWide ? "wide-cell" : undefined}
      aria-sort={isBy ? (isReverse ? "descending" : "ascending") : undefined}
    >
      {by === undefined ? (
        label
      ) : (
        <button onClick={() => props.onSort(isBy && !isReverse ? `-${by}` : by)}>
          {label}
          {isBy && (isReverse ? <ArrowUp className="ico" /> : <ArrowDown className="ico" />)}
        </button>
      )}
    </th>
  );
}
