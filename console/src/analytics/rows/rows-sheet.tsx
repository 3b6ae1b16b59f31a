/** Lists the rows behind a number. Only rows visible to the user are included. */
import "./rows.css";
import { formatBucket, formatGroup, type Mark } from "@millrace/client/chart";
import { Filter, X } from "lucide-react";
import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { toMoment } from "../../ui/words.ts";
import { useQuery } from "@tanstack/react-query";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import type { ReportDraft } from "../builder/model.ts";
import { useFieldTitles } from "./field-titles.ts";
import { Button } from "../../ui/form/button.tsx";

export interface Drill {
  readonly title: string;
  readonly report: ReportDraft;
  readonly bar?: Schemas["ReportFilterBar"] | undefined;
  readonly mark: Mark;
}

interface RowsSheetProps {
  readonly drill: Drill;
  readonly onClose: () => void;
  readonly onFilter?: ((group: Mark["group"]) => void) | undefined;
}

const ROWS = 50;
const COLUMNS_MAX = 8;

export function RowsSheet({ drill, onClose, onFilter }: RowsSheetProps) {
  const { title, report, bar, mark } = drill;
  const [pages, setPages] = useState(1);
  const isStep = report.funnel !== undefined;
  const body = {
    report,
    ...(bar && { bar }),
    group: mark.group,
    ...(!isStep && { measure: mark.measure }),
    ...(mark.before === true && { before: true }),
  };
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["reports.preview_rows", body, pages],
    queryFn: async ({ signal }) => {
      const rows: Readonly<Record<string, unknown>>[] = [];
      let after: string | undefined;
      let more = false;
      for (let page = 0; page < pages; page += 1) {
        const query = { limit: ROWS, ...(after !== undefined && { after }) };
        const answer = await call("reports.preview_rows", { body, query }, { signal });
        rows.push(...answer.data);
        after = answer.pagination.nextCursor ?? undefined;
        more = after !== undefined;
        if (!more) break;
      }
      return { rows, more };
    },
  });
  const titleOf = useFieldTitles([report.source]);
  const nameOf = useNames();
  const nameValue = (name: string, value: unknown): string =>
    (typeof value === "string" ? nameOf(value) : undefined) ??
    formatGroup(name, value, report.source.kind);
  const words = Object.entries(mark.group).map(([name, value]) =>
    name === "bucket" && typeof value === "string"
      ? formatBucket(value, report.timeBucket?.unit ?? "day", report.timeBucket?.timezone ?? "UTC")
      : `${titleOf(name)}: ${nameValue(name, value)}`,
  );
  const fields = Object.keys(mark.group).filter((name) => name !== "bucket" && name !== "step");
  return (
    <aside className="rows-sheet" aria-label={`Rows behind ${title}`}>
      <header>
        <div className="grow">
          <h2 className="cut">{title}</h2>
          <p className="muted">
            {[...words, ...(mark.before === true ? ["previous period"] : [])].join(" · ") ||
              "All rows"}
          </p>
        </div>
        {onFilter && fields.length > 0 && (
          <Button
            type="button"
            onClick={() =>
              onFilter(Object.fromEntries(fields.map((name) => [name, mark.group[name]])))
            }
          >
            <Filter /> Filter by this
          </Button>
        )}
        <Button look="bare" isIcon type="button" aria-label="Close rows" onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="rows-scroll" tabIndex={0} role="region" aria-label="Rows">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={8} />}
        {data?.rows.length === 0 && <Empty title="No rows">No rows match this number.</Empty>}
        {data && data.rows.length > 0 && (
          <Rows rows={data.rows} titleOf={titleOf} nameValue={nameValue} />
        )}
        {data?.more && (
          <Button className="rows-more" type="button" onClick={() => setPages(pages + 1)}>
            Load more
          </Button>
        )}
      </div>
    </aside>
  );
}

function Rows({
  rows,
  titleOf,
  nameValue,
}: {
  readonly titleOf: (name: string) => string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly nameValue: (name: string, value: unknown) => string;
}) {
  const names = Object.keys(rows[0] ?? {}).filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== ""),
  );
  const own = names.filter((name) => !["id", "updatedAt", "createdBy", "updatedBy"].includes(name));
  const shown = (own.length > 0 ? own : names).slice(0, COLUMNS_MAX);
  return (
    <table className="rows-table">
      <thead>
        <tr>
          {shown.map((name) => (
            <th key={name} scope="col">
              {titleOf(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => (
          <tr key={n}>
            {shown.map((name) => (
              <td key={name} className="cut">
                {toCellWords(row[name]) ?? nameValue(name, row[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Formats an empty cell or a time; undefined for values that have their own format. */
function toCellWords(value: unknown): string | undefined {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return toMoment(value);
  return undefined;
}
