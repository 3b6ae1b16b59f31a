import "./diff.css";
import { Fragment, useMemo, useState } from "react";
import { type DiffLine, diffLines, type DiffRow, pairLines } from "./line-diff.ts";
import { useIsNarrow } from "../behaviour/narrow.ts";
import { count } from "../words.ts";

/** The number of unchanged lines shown around a change. */
const CONTEXT = 3;

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeLabel?: string;
  readonly afterLabel?: string;
  readonly way?: "split" | "unified";
}

/** Two texts side by side, or in one column on phones; long unchanged parts are collapsed. */
export function Diff({
  before,
  after,
  beforeLabel = "Before",
  afterLabel = "After",
  way,
}: DiffProps) {
  const isNarrow = useIsNarrow();
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const isSplit = (way ?? "split") === "split" && !isNarrow;
  const added = lines.filter(({ kind }) => kind === "new").length;
  const gone = lines.filter(({ kind }) => kind === "gone").length;
  if (added + gone === 0) return <p className="muted">No differences.</p>;
  const rows: readonly DiffRow[] = isSplit
    ? pairLines(lines)
    : lines.map((line) => ({ before: line, after: line }));
  return (
    <div
      className="diff"
      role="region"
      aria-label={`${beforeLabel} and ${afterLabel}: ${count(added, "line")} added, ${gone} removed`}
      tabIndex={0}
    >
      <table className={isSplit ? "split" : "unified"}>
        <colgroup>
          {(isSplit ? ["number", "text", "number", "text"] : ["number", "number", "text"]).map(
            (kind, n) => (
              <col key={n} className={kind} />
            ),
          )}
        </colgroup>
        <thead className={isSplit ? "" : "hide"}>
          <tr>
            <th colSpan={isSplit ? 2 : 3}>{beforeLabel}</th>
            {isSplit && <th colSpan={2}>{afterLabel}</th>}
          </tr>
        </thead>
        <tbody>
          {foldRows(rows).map(({ from, rows: stretch, isFolded }) =>
            isFolded && !open.has(from) ? (
              <tr key={`fold-${from}`} className="diff-fold">
                <td colSpan={4}>
                  <button type="button" onClick={() => setOpen(new Set([...open, from]))}>
                    {count(stretch.length, "line")} unchanged
                  </button>
                </td>
              </tr>
            ) : (
              <Fragment key={from}>
                {stretch.map((row, n) =>
                  isSplit ? (
                    <SplitRow key={n} row={row} />
                  ) : (
                    <UnifiedRow key={n} line={row.before} />
                  ),
                )}
              </Fragment>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

interface Stretch {
  readonly from: number;
  readonly rows: readonly DiffRow[];
  readonly isFolded: boolean;
}

const isChange = ({ before, after }: DiffRow): boolean =>
  before?.kind !== "same" || after?.kind !== "same";

/** Groups rows into sections; sections without changes can be collapsed except for a few lines at their edges. */
function foldRows(rows: readonly DiffRow[]): readonly Stretch[] {
  const isNear = rows.map((_, n) =>
    rows.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(isChange),
  );
  const stretches: { from: number; rows: DiffRow[]; isFolded: boolean }[] = [];
  for (const [n, row] of rows.entries()) {
    const isFolded = isNear[n] !== true;
    const last = stretches.at(-1);
    if (last?.isFolded === isFolded) last.rows.push(row);
    else stretches.push({ from: n, rows: [row], isFolded });
  }
  return stretches.map((one) => ({ ...one, isFolded: one.isFolded && one.rows.length > 1 }));
}

const MARKS = { same: " ", gone: "−", new: "+" } as const;

function UnifiedRow({ line }: { readonly line: DiffLine | undefined }) {
  if (!line) return null;
  return (
    <tr className={`diff-${line.kind}`}>
      <td className="diff-number">{line.before}</td>
      <td className="diff-number">{line.after}</td>
      <td className="diff-text" data-mark={MARKS[line.kind]}>
        {line.text}
      </td>
    </tr>
  );
}

function SplitRow({ row }: { readonly row: DiffRow }) {
  const { before, after } = row;
  return (
    <tr>
      <td className={`diff-number diff-${before?.kind ?? "none"}`}>{before?.before}</td>
      <td
        className={`diff-text diff-${before?.kind ?? "none"}`}
        data-mark={before && MARKS[before.kind]}
      >
        {before?.text}
      </td>
      <td className={`diff-number diff-${after?.kind ?? "none"}`}>{after?.after}</td>
      <td
        className={`diff-text diff-${after?.kind ?? "none"}`}
        data-mark={after && MARKS[after.kind]}
      >
        {after?.text}
      </td>
    </tr>
  );
}
