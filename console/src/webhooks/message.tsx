import { Json } from "../ui/json/json.tsx";

/** The headers of a request, one per line. */
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

/** A body: highlighted JSON, or plain text. */
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
