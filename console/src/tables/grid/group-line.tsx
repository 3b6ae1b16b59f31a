import { ChevronRight } from "lucide-react";
import { memo } from "react";
import type { GridColumn } from "../column/column.ts";
import { type NameOf, toText } from "../column/value.ts";
import { cellContent } from "../cell/cell-content.tsx";
import { toFigure } from "../cell/figure.ts";
import type { Group } from "../sheet/group-rows.ts";
import { PlainButton } from "../../ui/form/button.tsx";

interface GroupLineProps {
  readonly group: Group;
  readonly column: GridColumn;
  readonly columns: readonly GridColumn[];
  readonly line: number;
  readonly top: number;
  readonly heightPx: number;
  readonly isFolded: boolean;
  readonly nameOf: NameOf;
  readonly onFold: (value: unknown) => void;
}

/** The header of a group: its value, number of records and summaries. */
export const GroupLine = memo(function GroupLine(props: GroupLineProps) {
  const { group, column, columns, isFolded } = props;
  const words = toText(column, group.value, props.nameOf) || "Empty";
  return (
    <div
      role="row"
      className="grid-row group-line"
      aria-rowindex={props.line + 2}
      style={{ top: props.top, height: props.heightPx }}
    >
      <div role="gridcell" className="group-title">
        <PlainButton
          className="group-fold"
          tabIndex={-1}
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? "Expand group" : "Collapse group"} ${words}`}
          onClick={() => props.onFold(group.value)}
        >
          <ChevronRight className="ico" />
          {cellContent(column, group.value, props.nameOf) ?? <span className="muted">Empty</span>}
          <span className="muted">{group.count.toLocaleString("en")}</span>
        </PlainButton>
        {Object.entries(group.figures).map(([name, value]) => (
          <span key={name} className="group-figure">
            {toFigure(columns, name, value)}
          </span>
        ))}
      </div>
    </div>
  );
});
