import { formatGroup, formatValue, type ResultColumn, toTitle } from "@millrace/client/chart";
import { type FigureProps, Value } from "./value.tsx";

/** The result as a table: groups, then values. */
export function ResultTable({ figure, label, onPick, nameOf }: FigureProps<"table">) {
  const { columns, rows, style, source } = figure;
  const titleOf = (name: string): string =>
    columns.find((column) => column.name === name)?.title ?? toTitle(name);
  const groups = columns.filter(({ role }) => role === "bucket" || role === "group");
  return (
    <div className="figure-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="figure-pivot">
        <caption className="hide">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ name, title = toTitle(name), role, of }) => (
              <th key={name} scope="col" className={isGroup({ role }) ? "left" : ""}>
                {role === "before" ? `${titleOf(of ?? name)}, previous period` : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            <tr key={n}>
              {columns.map((column) => {
                const value = row[column.name];
                if (isGroup(column))
                  return (
                    <td key={column.name} className="left">
                      {column.role === "bucket" && typeof value === "string"
                        ? value.slice(0, 16).replace("T00:00", "").replace("T", " ")
                        : (typeof value === "string" && nameOf?.(value)) ||
                          formatGroup(column.name, value, source)}
                    </td>
                  );
                const number = typeof value === "number" ? value : null;
                const group = Object.fromEntries(groups.map(({ name }) => [name, row[name]]));
                const isBefore = column.role === "before";
                return (
                  <td key={column.name}>
                    <Value
                      words={typeof value === "string" ? value : formatValue(number, style)}
                      about={column.title ?? toTitle(column.name)}
                      mark={{
                        value: number,
                        group,
                        measure: column.of ?? column.name,
                        ...(isBefore && { before: true }),
                      }}
                      onPick={onPick}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="figure-none">No data in this period.</p>}
    </div>
  );
}

const isGroup = ({ role }: Pick<ResultColumn, "role">): boolean =>
  role === "bucket" || role === "group";
