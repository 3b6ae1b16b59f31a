import "./event-data.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LogEvent } from "../data/live/live.ts";
import { Diff } from "../ui/display/diff.tsx";
import { JsonTree } from "../ui/json/json-tree.tsx";
import { ReadableValue } from "../ui/readable/readable-value.tsx";
import { toFieldName } from "../ui/readable/readable.ts";
import { State } from "../ui/state.tsx";
import { type FieldChange, listChanges, listFields, toLongTexts } from "./event-changes.ts";
import { isId, ThingName } from "./thing-name.tsx";

/** Shows the changes and data of an event. */
export function EventData({ data }: { readonly data: LogEvent["data"] }) {
  return (
    <>
      <ChangedFields data={data} />
      <section>
        <h3>Data</h3>
        <JsonTree value={data} path="event.data" label="Data of the event" />
      </section>
    </>
  );
}

/**
 * The readable content of an event: resources by name, without empty fields. `said` contains values that are
 * already shown. JSON is available on demand.
 */
export function ReadableEvent(props: {
  readonly data: LogEvent["data"];
  readonly said: readonly unknown[];
}) {
  const { data } = props;
  const [isOpen, setOpen] = useState(false);
  const isChange = listChanges(data) !== undefined;
  const fields = isChange ? [] : listFields(data, props.said);
  return (
    <>
      <ChangedFields data={data} />
      {fields.length > 0 && (
        <dl className="readable event-fields">
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{nameField(name, value)}</dt>
              <dd>
                <FieldValue name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <details className="event-json" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>JSON</summary>
        {isOpen && <JsonTree value={data} path="event.data" label="Data of the event" />}
      </details>
    </>
  );
}

function FieldValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (typeof value !== "string") return <NamedValue value={value} />;
  if (STATES.has(name)) return <State state={value} />;
  if (name !== TABLE) return <NamedValue value={value} />;
  return (
    <Link className="link" to="/tables/$slug" params={{ slug: value }}>
      {value}
    </Link>
  );
}

const TABLE = "tableSlug";
const STATES: ReadonlySet<string> = new Set(["state", "status"]);

function ChangedFields({ data }: { readonly data: LogEvent["data"] }) {
  const changes = listChanges(data);
  if (!changes || changes.length === 0) return null;
  return (
    <section>
      <h3>Changes</h3>
      <Changes changes={changes} />
    </section>
  );
}

function NamedValue({ value }: { readonly value: unknown }) {
  if (isId(value)) return <ThingName id={value} />;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isId)) {
    return <ReadableValue value={value} />;
  }
  return (
    <ul className="readable-list">
      {value.map((id) => (
        <li key={id}>
          <ThingName id={id} />
        </li>
      ))}
    </ul>
  );
}

/** Labels `callerId` as `Caller` if the id is replaced by a name. */
function nameField(name: string, value: unknown): string {
  if (name === TABLE) return "Table";
  const holdsIds = isId(value) || (Array.isArray(value) && value.some(isId));
  return toFieldName(holdsIds ? name.replace(/(?<=.)Ids?$/, "") : name);
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
                <th scope="row">{nameField(name, after ?? before)}</th>
                <td>
                  <NamedValue value={before} />
                </td>
                <td>
                  <NamedValue value={after} />
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
