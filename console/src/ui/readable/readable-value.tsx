import "./readable-value.css";
import { memo } from "react";
import { Json } from "../json/json.tsx";
import { type Readable, toReadable } from "./readable.ts";
import { count } from "../words.ts";

/** A value for users who do not build workflows. */
export const ReadableValue = memo(function ReadableValue({ value }: { readonly value: unknown }) {
  return <Part part={toReadable(value)} />;
});

function Part({ part }: { readonly part: Readable }) {
  switch (part.kind) {
    case "none":
      return <span className="muted">–</span>;
    case "text":
      return <span className={part.isLong ? "readable-long" : ""}>{part.text}</span>;
    case "deep":
      return <Json value={part.value} />;
    case "fields":
      return (
        <dl className="readable">
          {part.fields.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Part part={value} />
              </dd>
            </div>
          ))}
        </dl>
      );
    case "list":
      return (
        <ul className="readable-list">
          {part.items.map((item, n) => (
            <li key={n}>
              <Part part={item} />
            </li>
          ))}
          <More more={part.more} />
        </ul>
      );
    case "table":
      return <Rows part={part} />;
  }
}

function Rows({ part }: { readonly part: Extract<Readable, { kind: "table" }> }) {
  return (
    <div className="readable-table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {part.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {part.rows.map((row, n) => (
            <tr key={n}>
              {row.map((cell, m) => (
                <td key={m}>
                  <Part part={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {part.more > 0 && <p className="muted">and {count(part.more, "more row")}</p>}
    </div>
  );
}

function More({ more }: { readonly more: number }) {
  return more > 0 ? <li className="muted">and {more} more</li> : null;
}
