/** The grid's toolbar: columns, sort order and row height, and actions on the selection. */
import { TABLE_VIEW_ROW_HEIGHT } from "@millrace/client/enums";
import {
  AlignJustify,
  ArrowUpDown,
  Columns3,
  Group,
  Plus,
  Trash2,
  WandSparkles,
} from "lucide-react";
import { useState } from "react";
import type { Edits } from "../book/use-edits.ts";
import type { RowBook } from "../book/row-book.ts";
import { type ListSpec, toQuery } from "../book/use-row-book.ts";
import { Popover } from "../../ui/overlay/popover.tsx";
import { type GridColumn, type TableShape, titleOfColumn } from "../column/column.ts";
import { TypeIcon } from "../column/type-icon.tsx";
import { FilterBuilder } from "../filter/filter-builder.tsx";
import { BulkDialog } from "../record/bulk-dialog.tsx";
import { type Layout, parseSort } from "../views/layout.ts";
import type { LayoutState } from "../views/use-layout.ts";
import type { Access } from "../sheet/use-access.ts";
import type { CellActs } from "../sheet/use-cell-acts.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select } from "../../ui/form/controls.tsx";

interface GridBarProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly state: LayoutState;
  readonly spec: ListSpec;
  readonly edits: Edits;
  readonly book: RowBook;
  readonly access: Access;
  readonly acts: CellActs;
  readonly total: number | undefined;
}

const HEIGHTS = TABLE_VIEW_ROW_HEIGHT;

export function GridBar(props: GridBarProps) {
  const { table, columns, state, spec, access, acts, book } = props;
  const { layout, change } = state;
  const [isBulk, setBulk] = useState(false);
  const { filter: _, ...query } = toQuery(spec);
  return (
    <div className="grid-bar" role="toolbar" aria-label="Visible records">
      <FilterBuilder
        columns={columns.filter(({ type }) => type !== "json")}
        filter={layout.filter}
        slug={table.slug}
        query={query}
        onChange={(filter) => change({ filter })}
      />
      <SortButton columns={columns} layout={layout} onChange={(sort) => change({ sort })} />
      <GroupButton columns={columns} layout={layout} onChange={(groupBy) => change({ groupBy })} />
      <ColumnsButton columns={columns} layout={layout} onChange={(hidden) => change({ hidden })} />
      <Button
        look="bare"
        isIcon
        aria-label={`Row height: ${layout.rowHeight}`}
        title={`Row height: ${layout.rowHeight}`}
        onClick={() => {
          const next = HEIGHTS[(HEIGHTS.indexOf(layout.rowHeight) + 1) % HEIGHTS.length];
          change({ rowHeight: next ?? "short" });
        }}
      >
        <AlignJustify />
      </Button>
      <span className="grow" />
      <Button
        look="bare"
        isIcon
        aria-label="Update matching records"
        title={access.update ?? "Update matching records…"}
        disabled={access.update !== undefined}
        onClick={() => setBulk(true)}
      >
        <WandSparkles />
      </Button>
      <Button
        look="bare"
        isIcon
        aria-label="Delete selected records"
        title={access.delete ?? "Delete selected records"}
        disabled={access.delete !== undefined}
        onClick={acts.deleteRows}
      >
        <Trash2 />
      </Button>
      <Button look="main" refusal={access.create} onClick={() => acts.addAt(book.count)}>
        <Plus /> Add record
      </Button>
      {isBulk && (
        <BulkDialog
          {...{ table, columns, spec }}
          onClose={() => setBulk(false)}
          onDone={() => book.forget()}
        />
      )}
    </div>
  );
}

interface PartProps<T> {
  readonly columns: readonly GridColumn[];
  readonly layout: Layout;
  readonly onChange: (value: T) => void;
}

function SortButton({ columns, layout, onChange }: PartProps<string>) {
  const keys = parseSort(layout.sort);
  const [first, direction] = keys[0] ?? ["", "asc"];
  const rest = keys.slice(1).map(([name, way]) => (way === "desc" ? `-${name}` : name));
  const set = (name: string, way: string): void =>
    onChange([...(name === "" ? [] : [way === "desc" ? `-${name}` : name]), ...rest].join(","));
  return (
    <Popover
      align="start"
      label={keys.length === 0 ? "Sort" : `Sorted by ${titleOfColumn(columns, first)}`}
      className={keys.length === 0 ? "btn bare" : "btn bare used"}
      button={
        <>
          <ArrowUpDown />
          <span className="wide-only">
            {keys.length === 0 ? "Sort" : titleOfColumn(columns, first)}
          </span>
        </>
      }
    >
      {() => (
        <div className="bar-box">
          <label>
            Sort by
            <Select value={first} onChange={({ target }) => set(target.value, direction)}>
              <option value="">Creation order</option>
              {columns
                .filter(({ type }) => type !== "json")
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
            </Select>
          </label>
          <label>
            Direction
            <Select
              value={direction}
              disabled={first === ""}
              onChange={({ target }) => set(first, target.value)}
            >
              <option value="asc">Ascending: A to Z, 1 to 9</option>
              <option value="desc">Descending: Z to A, 9 to 1</option>
            </Select>
          </label>
          {rest.length > 0 && (
            <p className="muted">
              Then by {rest.map((key) => titleOfColumn(columns, key.replace(/^-/, ""))).join(", ")}
            </p>
          )}
        </div>
      )}
    </Popover>
  );
}

function GroupButton({ columns, layout, onChange }: PartProps<string | null>) {
  const { groupBy } = layout;
  return (
    <Popover
      align="start"
      label={groupBy === null ? "Group" : `Grouped by ${titleOfColumn(columns, groupBy)}`}
      className={groupBy === null ? "btn bare" : "btn bare used"}
      button={
        <>
          <Group />
          <span className="wide-only">
            {groupBy === null ? "Group" : titleOfColumn(columns, groupBy)}
          </span>
        </>
      }
    >
      {() => (
        <div className="bar-box">
          <label>
            Group by
            <Select value={groupBy ?? ""} onChange={({ target }) => onChange(target.value || null)}>
              <option value="">None</option>
              {columns
                .filter(({ type }) => GROUPED.has(type))
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
            </Select>
          </label>
          <p className="muted">Column summaries are also shown for each group.</p>
        </div>
      )}
    </Popover>
  );
}

const GROUPED = new Set(["enum", "boolean", "date", "reference", "text", "integer", "multi_enum"]);

function ColumnsButton({ columns, layout, onChange }: PartProps<readonly string[]>) {
  const { hidden } = layout;
  return (
    <Popover
      align="start"
      label={hidden.length === 0 ? "Columns" : `Columns, ${hidden.length} hidden`}
      className="btn bare"
      button={
        <>
          <Columns3 /> <span className="wide-only">Columns</span>
        </>
      }
    >
      {() => (
        <div className="bar-box columns-box scroll">
          {columns.map(({ name, title, type }) => (
            <label key={name} className="check-line">
              <CheckBox
                checked={!hidden.includes(name)}
                onChange={({ target }) =>
                  onChange(
                    target.checked ? hidden.filter((one) => one !== name) : [...hidden, name],
                  )
                }
              />
              <TypeIcon type={type} />
              <span className="cut">{title}</span>
            </label>
          ))}
        </div>
      )}
    </Popover>
  );
}
