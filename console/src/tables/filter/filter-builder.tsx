/** Builds a filter without JSON, and shows the API request for it. */
import { ListFilter } from "lucide-react";
import { useMemo } from "react";
import { Popover } from "../../ui/overlay/popover.tsx";
import type { GridColumn } from "../column/column.ts";
import { FilterCode } from "./filter-code.tsx";
import { FilterGroups } from "./filter-groups.tsx";
import { type Condition, countRules, fromCondition } from "./filter-tree.ts";
import { useFilterDraft } from "./use-filter-draft.ts";

interface FilterBuilderProps {
  readonly columns: readonly GridColumn[];
  readonly filter: Condition;
  readonly onChange: (filter: Condition) => void;
  readonly slug: string;
  /** The other parameters of the request. */
  readonly query: Readonly<Record<string, string | number>>;
}

export function FilterBuilder(props: FilterBuilderProps) {
  const { columns, filter, onChange } = props;
  const { tree, setTree } = useFilterDraft(filter, onChange);
  const rules = useMemo(() => countRules(fromCondition(filter)), [filter]);
  return (
    <Popover
      align="start"
      label={rules === 0 ? "Filter" : `Filter: ${rules} in use`}
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
          <FilterGroups
            columns={columns}
            tree={tree}
            onChange={setTree}
            empty="No filter. All records are shown. Add a rule to show only some."
          />
          <FilterCode slug={props.slug} query={props.query} columns={columns} tree={tree} />
        </div>
      )}
    </Popover>
  );
}
