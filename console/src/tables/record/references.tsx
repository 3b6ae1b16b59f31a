/** The references from and to a record, by name. */
import { Link } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { Empty } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { type Column, type GridColumn, type TableShape, targetOf } from "../column/column.ts";
import { type NameOf, nameIn } from "../column/value.ts";

const SHOWN = 20;

interface ReferencesProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly record: Readonly<Record<string, unknown>>;
  readonly recordId: string;
  readonly nameOf: NameOf;
}

export function References({ table, columns, record, recordId, nameOf }: ReferencesProps) {
  const tables = useOp("tables.list", { query: { limit: 200 } }).data?.data ?? [];
  const outward = columns.flatMap((column) => {
    const target = targetOf(column);
    const id = record[column.name];
    if (target === undefined || target === "users" || typeof id !== "string") return [];
    return [{ column, target, id }];
  });
  const inward = tables.flatMap((other) =>
    other.columns
      .filter((column) => targetOf(column) === table.slug)
      .map((column) => ({ other, column })),
  );
  if (outward.length + inward.length === 0) {
    return (
      <Empty title="No references">
        This record does not refer to other records, and no table has a column that refers to this
        table.
      </Empty>
    );
  }
  return (
    <div className="references">
      {outward.length > 0 && <h3>Refers to</h3>}
      <ul>
        {outward.map(({ column, target, id }) => (
          <li key={column.name}>
            <span className="muted">{column.title}</span>
            <Link to="/tables/$slug" params={{ slug: target }} search={{ open: id }}>
              {nameOf(id) ?? id}
            </Link>
          </li>
        ))}
      </ul>
      {inward.map(({ other, column }) => (
        <Inward
          key={`${other.slug}.${column.name}`}
          {...{ column, recordId }}
          name={other.name}
          slug={other.slug}
        />
      ))}
    </div>
  );
}

interface InwardProps {
  readonly slug: string;
  readonly name: string;
  readonly column: Column;
  readonly recordId: string;
}

function Inward({ slug, name, column, recordId }: InwardProps) {
  const condition = { [column.name]: recordId };
  const { data, error } = useOp("records.list", {
    params: { slug },
    query: { filter: JSON.stringify(condition), limit: SHOWN, count: "exact" },
  });
  if (error || !data) return null;
  const total = data.pagination.total ?? data.data.length;
  return (
    <section>
      <h3>
        {name} <span className="muted">by {column.title}</span>
        <span className="count">{total.toLocaleString("en")}</span>
      </h3>
      {total === 0 && <p className="muted">No records</p>}
      <ul>
        {data.data.map((other) => (
          <li key={other.id}>
            <Link to="/tables/$slug" params={{ slug }} search={{ open: other.id }}>
              {nameIn(other) ?? other.id}
            </Link>
          </li>
        ))}
      </ul>
      {total > data.data.length && (
        <Link
          className="btn bare"
          to="/tables/$slug"
          params={{ slug }}
          search={{ filter: condition }}
        >
          Show all {count(total, "record")}
        </Link>
      )}
    </section>
  );
}
