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
    toText(column, asRecord(thing, "")[column.name], () => undefined) || "nothing";
  return (
    <div className="bulk-preview" role="status">
      <p>
        <strong>{count(told.eventCount, "record")}</strong> would change
        {same > 0 && `; ${count(same, "record")} ${same === 1 ? "is" : "are"} that way already`}.
      </p>
      {told.changes.length > 0 && (
        <table>
          <caption className="hide">The first of them</caption>
          <thead>
            <tr>
              <th scope="col">Record</th>
              <th scope="col">{column.title} now</th>
              <th scope="col">Then</th>
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
