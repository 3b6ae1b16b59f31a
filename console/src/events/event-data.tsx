import "./event-data.css";
import type { LogEvent } from "../data/live/live.ts";
import { Diff } from "../ui/display/diff.tsx";
import { JsonTree } from "../ui/json/json-tree.tsx";
import { ReadableValue } from "../ui/readable/readable-value.tsx";
import { toFieldName } from "../ui/readable/readable.ts";
import { type FieldChange, listChanges, toLongTexts } from "./event-changes.ts";

/** What an event says: its changes as before and after, and its data. */
export function EventData({ data }: { readonly data: LogEvent["data"] }) {
  const changes = listChanges(data);
  return (
    <>
      {changes && changes.length > 0 && (
        <section>
          <h3>What changed</h3>
          <Changes changes={changes} />
        </section>
      )}
      <section>
        <h3>Data</h3>
        <JsonTree value={data} path="event.data" label="Data of the event" />
      </section>
    </>
  );
}

function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  const short = changes.filter((change) => !toLongTexts(change));
  const long = changes.filter((change) => toLongTexts(change));
  return (
    <>
      {short.length > 0 && (
        <table className="event-changes">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {short.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{toFieldName(name)}</th>
                <td>
                  <ReadableValue value={before} />
                </td>
                <td>
                  <ReadableValue value={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {long.map((change) => (
        <LongChange key={change.name} change={change} />
      ))}
    </>
  );
}

function LongChange({ change }: { readonly change: FieldChange }) {
  const [before = "", after = ""] = toLongTexts(change) ?? [];
  return (
    <section className="event-long">
      <h4>{toFieldName(change.name)}</h4>
      <Diff before={before} after={after} way="unified" />
    </section>
  );
}
