import { isFields } from "../../form/index.ts";
import { Json } from "../../ui/json/json.tsx";
import type { Preview } from "../builder/use-preview.ts";

/** The current result of a data source: the number of rows and the first ones. */
export function Sample({
  name,
  preview,
}: {
  readonly name: string;
  readonly preview: Preview | undefined;
}) {
  const source = preview?.sources.find((one) => one.name === name);
  const data = isFields(preview?.scope) ? preview.scope["data"] : undefined;
  const value = isFields(data) ? data[name] : undefined;
  if (!source) return null;
  return (
    <section className="side-sample">
      <h3>
        Preview of the data{" "}
        {source.rows !== null && <span className="muted">· first {source.rows}</span>}
      </h3>
      {source.error === null ? (
        <Json
          value={Array.isArray(value) ? (value[0] ?? null) : value}
          label={`First row of ${name}`}
        />
      ) : (
        <p className="muted">
          {source.error === "Loading …"
            ? "Not loaded in the preview, because it can change data."
            : source.error}
        </p>
      )}
    </section>
  );
}
