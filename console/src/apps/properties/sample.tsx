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
        What it gives{" "}
        {source.rows !== null && <span className="muted">· the first {source.rows}</span>}
      </h3>
      {source.error === null ? (
        <Json
          value={Array.isArray(value) ? (value[0] ?? null) : value}
          label={`First row of ${name}`}
        />
      ) : (
        <p className="muted">
          {source.error === "Loading …"
            ? "It may change something, so the preview does not load it."
            : source.error}
        </p>
      )}
    </section>
  );
}
