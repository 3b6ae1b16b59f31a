import { Json } from "../ui/json/json.tsx";

/** Headers of a request, one on each line. */
export function HeaderList({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <dl className="hook-header-list">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt className="muted mono">{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A body: JSON in colour, anything else as it is. */
export function BodyText({ text, label }: { readonly text: string; readonly label: string }) {
  const value = parse(text);
  if (value !== undefined) return <Json value={value} label={label} />;
  return (
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
