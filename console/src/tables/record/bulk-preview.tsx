import type { DryRun } from "../book/dry-run.ts";
import { count } from "../../ui/words.ts";
import { type GridColumn } from "../column/column.ts";
import { titleOf } from "../column/title.ts";
import { toText } from "../column/value.ts";

const SHOWN = 8;

interface BulkPreviewProps {
  readonly told: DryRun;
  readonly column: GridColumn;
  readonly columns: readonly GridColumn[];
  readonly found: number;
}

/** The effect of a bulk change: the server runs it and rolls back. */
export function BulkPreview({ told, column, columns, found }: BulkPreviewProps) {
  const same = Math.max(0, found - told.eventCount);
  const say = (thing: unknown): string =>
    toText(column, asRecord(thing, "")[column.name], () => undefined) || "empty";
  return (
    <div className="bulk-preview" role="status">
      <p>
        <strong>{count(told.eventCount, "record")}</strong> will change
        {same > 0 && `; ${count(same, "record")} already ${same === 1 ? "has" : "have"} this value`}
        .
      </p>
      {told.changes.length > 0 && (
        <table>
          <caption className="hide">First records</caption>
          <thead>
            <tr>
              <th scope="col">Record</th>
              <th scope="col">{column.title} (current)</th>
              <th scope="col">New</th>
            </tr>
          </thead>
          <tbody>
            {told.changes.slice(0, SHOWN).map(({ resource, before, after }) => (
              <tr key={resource.id}>
                <td>{titleOf(asRecord(after, resource.id), columns)}</td>
                <td>
                  <del>{say(before)}</del>
                </td>
                <td>
                  <ins>{say(after)}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

const asRecord = (thing: unknown, id: string): Readonly<Record<string, unknown>> =>
  typeof thing === "object" && thing !== null ? { ...thing, id } : { id };
