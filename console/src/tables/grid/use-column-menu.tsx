/** The menu of a column header. */
import { useNavigate } from "@tanstack/react-router";
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  EyeOff,
  Group,
  ListFilter,
  Pin,
  PinOff,
  Settings2,
} from "lucide-react";
import { useState } from "react";
import { useMay } from "../../data/people.ts";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import type { GridColumn, TableShape } from "../column/column.ts";
import { fromCondition, newRule, toCondition } from "../filter/filter-tree.ts";
import { moveColumn, parseSort, widthOf } from "../views/layout.ts";
import type { LayoutState } from "../views/use-layout.ts";
import type { Range } from "../sheet/cell-range.ts";
import type { HeadHandlers } from "./head-row.tsx";

const WIDER_PX = 60;
const WIDTH_MIN_PX = 56;

interface ColumnMenuProps {
  readonly table: TableShape;
  readonly shown: readonly GridColumn[];
  readonly state: LayoutState;
  readonly setRange: (range: Range) => void;
  readonly rows: number;
}

export function useColumnMenu({ table, shown, state, setRange, rows }: ColumnMenuProps) {
  const { layout, change } = state;
  const may = useMay();
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const mayDesign = may("tables.create");
  const sortBy = (name: string, direction: "asc" | "desc" | undefined): void => {
    const others = parseSort(layout.sort).filter(([key]) => key !== name);
    const keys = direction ? [[name, direction] as const, ...others] : others;
    const text = keys.slice(0, 3).map(([key, way]) => (way === "desc" ? `-${key}` : key));
    change({ sort: text.join(",") });
  };
  const setWidth = (column: GridColumn, px: number): void =>
    change({ widths: { ...layout.widths, [column.name]: Math.max(WIDTH_MIN_PX, px) } });
  const move = (column: GridColumn, to: number): void =>
    change({ columns: moveColumn(shown, column.name, to) });
  const menuOf = (column: GridColumn, at: number): readonly MenuItem[] => [
    ...shownItems({ column, at, state, sortBy }),
    ...placeItems({ column, at, shown, state, setWidth, move }),
    {
      label: "Edit column…",
      icon: <Settings2 className="ico" />,
      isApart: true,
      disabled: column.isSystem
        ? "You can't edit system columns."
        : mayDesign
          ? undefined
          : "You don't have permission to edit tables.",
      onPick: () =>
        void navigate({
          to: "/tables/$slug/design",
          params: { slug: table.slug },
          search: { column: column.name },
        }),
    },
  ];
  const handlers: HeadHandlers = {
    menuOf,
    onSelect: (at, isRange) =>
      setRange({
        anchor: { row: 0, column: isRange ? 0 : at },
        end: { row: Math.max(0, rows - 1), column: at },
      }),
    onWidth: setWidth,
    onMove: move,
    onAdd: mayDesign ? () => setAdding(true) : undefined,
  };
  return { handlers, isAdding, endAdd: () => setAdding(false) };
}

interface ItemProps {
  readonly column: GridColumn;
  readonly at: number;
  readonly state: LayoutState;
}

/** Sorting, grouping and filtering by a column. */
function shownItems({
  column,
  state: { layout, change },
  sortBy,
}: ItemProps & {
  readonly sortBy: (name: string, direction: "asc" | "desc" | undefined) => void;
}): readonly MenuItem[] {
  const { name } = column;
  const sorted = new Map(parseSort(layout.sort)).get(name);
  const isPlain = column.type === "json" ? "JSON columns can't be sorted." : undefined;
  return [
    {
      label: "Sort ascending",
      icon: <ArrowUp className="ico" />,
      disabled: isPlain,
      onPick: () => sortBy(name, sorted === "asc" ? undefined : "asc"),
    },
    {
      label: "Sort descending",
      icon: <ArrowDown className="ico" />,
      disabled: isPlain,
      onPick: () => sortBy(name, sorted === "desc" ? undefined : "desc"),
    },
    {
      label: layout.groupBy === name ? "Remove grouping" : "Group by this column",
      icon: <Group className="ico" />,
      disabled: isPlain,
      onPick: () => change({ groupBy: layout.groupBy === name ? null : name }),
    },
    {
      label: "Filter by this column",
      icon: <ListFilter className="ico" />,
      onPick: () => {
        const tree = fromCondition(layout.filter);
        const rule = newRule(column);
        const full = toCondition(rule);
        const filled = Object.keys(full).length > 0 ? rule : { ...rule, operator: "filled" };
        change({ filter: toCondition({ ...tree, parts: [...tree.parts, filled] }) });
      },
    },
  ];
}

interface PlaceProps extends ItemProps {
  readonly shown: readonly GridColumn[];
  readonly setWidth: (column: GridColumn, px: number) => void;
  readonly move: (column: GridColumn, to: number) => void;
}

/** The position and width of a column. */
function placeItems(props: PlaceProps): readonly MenuItem[] {
  const { column, at, shown, setWidth, move } = props;
  const { layout, change } = props.state;
  const { name } = column;
  const width = widthOf(column, layout.widths);
  return [
    {
      label: at < layout.frozen ? "Unfreeze columns" : "Freeze up to this column",
      icon: at < layout.frozen ? <PinOff className="ico" /> : <Pin className="ico" />,
      isApart: true,
      onPick: () => change({ frozen: at < layout.frozen ? at : Math.min(10, at + 1) }),
    },
    {
      label: "Move left",
      icon: <ArrowLeft className="ico" />,
      disabled: at === 0 ? "This is the first column." : undefined,
      onPick: () => move(column, at - 1),
    },
    {
      label: "Move right",
      icon: <ArrowRight className="ico" />,
      disabled: at === shown.length - 1 ? "This is the last column." : undefined,
      onPick: () => move(column, at + 1),
    },
    { label: "Make wider", onPick: () => setWidth(column, width + WIDER_PX) },
    { label: "Make narrower", onPick: () => setWidth(column, width - WIDER_PX) },
    {
      label: "Hide column",
      icon: <EyeOff className="ico" />,
      onPick: () => change({ hidden: [...layout.hidden, name] }),
    },
  ];
}
