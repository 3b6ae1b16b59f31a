const TOKEN =
  /("(?:[^"\\]|\\.)*"\s*:?|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\btrue\b|\bfalse\b|\bnull\b)/;
const SHOWN_CHARACTERS_MAX = 100_000;

/** A value as highlighted JSON. */
export function Json({
  value,
  label = "JSON",
}: {
  readonly value: unknown;
  readonly label?: string;
}) {
  const text = JSON.stringify(value, null, 2) ?? "nothing";
  const shown = text.slice(0, SHOWN_CHARACTERS_MAX);
  return (
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {shown.split(TOKEN).map((part, n) => colour(part, n))}
      {shown.length < text.length && <em> … {text.length - shown.length} more characters</em>}
    </pre>
  );
}

function colour(part: string, key: number) {
  if (part.endsWith(":")) return <b key={key}>{part}</b>;
  if (part.startsWith('"')) return <i key={key}>{part}</i>;
  return /^(-?\d|true|false|null)/.test(part) ? <u key={key}>{part}</u> : part;
}
