import "./json-tree.css";
import { ChevronRight, Copy, Search } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { copyText } from "../behaviour/copy.ts";
import { showRow, useRowWindow } from "../behaviour/row-window.ts";
import { listRows, searchRows, summarizeValue, type TreeRow } from "./value.ts";

const ROW_PX = 24;
/** Larger trees get a scrolled box that renders only visible rows. */
const BOX_ROWS = 60;
const SEARCH_ROWS = 8;

interface JsonTreeProps {
  readonly value: unknown;
  /** The path of the value in expressions. */
  readonly path: string;
  readonly label: string;
  /** Inserts a value: with its button, or with Enter. */
  readonly onUse?: ((path: string) => void) | undefined;
  readonly hasSearch?: boolean;
}

/** A JSON tree: children are rendered when expanded, and only visible rows of long lists. */
export function JsonTree({ value, path, label, onUse, hasSearch = true }: JsonTreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(value, path));
  const [words, setWords] = useState("");
  const rows = useMemo(
    () => (words === "" ? listRows(value, path, open) : searchRows(value, path, words)),
    [value, path, open, words],
  );
  const isLong = hasSearch && (rows.length >= SEARCH_ROWS || words !== "");
  if (value === null || typeof value !== "object") return <Plain value={value} />;
  return (
    <div className="tree-frame">
      {isLong && (
        <label className="tree-search">
          <Search className="ico" />
          <input
            aria-label={`Search in ${label}`}
            placeholder="Name or value"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </label>
      )}
      {rows.length === 0 ? (
        <p className="muted tree-none">{words === "" ? "Empty" : "No matches"}</p>
      ) : (
        <Rows
          key={words}
          rows={rows}
          label={label}
          open={open}
          isSearch={words !== ""}
          root={path}
          onUse={onUse}
          onToggle={(at) => setOpen(toggle(open, at))}
        />
      )}
    </div>
  );
}

function Plain({ value }: { readonly value: unknown }) {
  return (
    <span className={`tree-value ${kindOf(value)}`}>{JSON.stringify(value) ?? "nothing"}</span>
  );
}

function firstOpen(value: unknown, path: string): ReadonlySet<string> {
  const branches = listRows(value, path, new Set()).filter((row) => row.hasChildren);
  const [only] = branches;
  return new Set(branches.length === 1 && only ? [only.path] : []);
}

function toggle(open: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(path)) next.add(path);
  return next;
}

interface RowsProps {
  readonly rows: readonly TreeRow[];
  readonly label: string;
  readonly open: ReadonlySet<string>;
  readonly isSearch: boolean;
  readonly root: string;
  readonly onToggle: (path: string) => void;
  readonly onUse: ((path: string) => void) | undefined;
}

function Rows({ rows, label, open, isSearch, root, onToggle, onUse }: RowsProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const isBoxed = rows.length > BOX_ROWS;
  const sight = useRowWindow(box, ROW_PX, rows.length);
  const { from, to } = isBoxed ? sight : { from: 0, to: rows.length };
  const current = Math.min(active, rows.length - 1);
  const go = (n: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, n));
    setActive(next);
    if (box.current && isBoxed) showRow(box.current, ROW_PX, next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[current];
    if (!row || event.target !== box.current) return;
    const isOpen = open.has(row.path);
    if (event.key === "ArrowDown") go(current + 1);
    else if (event.key === "ArrowUp") go(current - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "ArrowRight" && row.hasChildren && !isOpen) onToggle(row.path);
    else if (event.key === "ArrowRight") go(current + 1);
    else if (event.key === "ArrowLeft" && row.hasChildren && isOpen) onToggle(row.path);
    else if (event.key === "ArrowLeft") go(parentIndex(rows, current));
    else if (event.key === "Enter" && onUse) onUse(row.path);
    else if ((event.key === "Enter" || event.key === " ") && row.hasChildren) onToggle(row.path);
    else if (event.key === "c" && !event.metaKey && !event.ctrlKey) copy(row.value, "Value");
    else if (event.key === "p") copy(row.path, "Path");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}-${current}`}
      className={isBoxed ? "tree boxed" : "tree"}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="tree-pad" style={{ height: from * ROW_PX }} />
      {rows.slice(from, to).map((row, n) => (
        <Row
          key={row.path}
          id={`${id}-${from + n}`}
          row={row}
          isActive={from + n === current}
          isOpen={open.has(row.path)}
          name={isSearch ? row.path.slice(root.length).replace(/^\./, "") : String(row.name)}
          onToggle={() => {
            setActive(from + n);
            onToggle(row.path);
          }}
          onUse={onUse}
        />
      ))}
      <div role="presentation" style={{ height: (rows.length - to) * ROW_PX }} />
    </div>
  );
}

function parentIndex(rows: readonly TreeRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  const found = rows.slice(0, at).findLastIndex((row) => row.depth < depth);
  return found < 0 ? at : found;
}

interface RowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly name: string;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onUse: ((path: string) => void) | undefined;
}

function Row({ id, row, name, isActive, isOpen, onToggle, onUse }: RowProps) {
  const { value, path, depth, hasChildren } = row;
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isActive}
      aria-expanded={hasChildren ? isOpen : undefined}
      className={`tree-row depth-${Math.min(depth, 8)}`}
      onClick={hasChildren ? onToggle : undefined}
    >
      <ChevronRight className={hasChildren ? "tree-fold" : "tree-fold none"} />
      <b className="cut">{name}</b>
      {hasChildren ? (
        <span className="muted cut">{summarizeValue(value)}</span>
      ) : (
        <span className={`tree-value cut ${kindOf(value)}`} title={String(value)}>
          {JSON.stringify(value) ?? "nothing"}
        </span>
      )}
      <span className="tree-acts" role="presentation">
        <span title="Copy value" onClick={stopAnd(() => copy(value, "Value"))}>
          <Copy className="ico" />
        </span>
        <span title={`Copy ${path}`} onClick={stopAnd(() => copy(path, "Path"))}>
          path
        </span>
        {onUse && (
          // Prevents the click from moving the caret out of the target field.
          <span
            className="use"
            title={`Use ${path}`}
            onPointerDown={(event) => event.preventDefault()}
            onClick={stopAnd(() => onUse(path))}
          >
            Use
          </span>
        )}
      </span>
    </div>
  );
}

const stopAnd =
  (act: () => void) =>
  (event: { stopPropagation(): void }): void => {
    event.stopPropagation();
    act();
  };

function copy(value: unknown, name: string): void {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  void copyText(text ?? "", name);
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? "none" : typeof value;
}
