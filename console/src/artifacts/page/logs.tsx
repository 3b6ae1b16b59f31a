import type { Schemas } from "../../data/api.ts";

type LogLine = Schemas["ArtifactExecution"]["logs"][number];

/** The log lines of a script, in order. */
export function Logs({ logs }: { readonly logs: readonly LogLine[] }) {
  if (logs.length === 0) return <p className="muted">No log output.</p>;
  return (
    <ol className="art-logs" aria-label="Logs">
      {logs.map(({ level, message, metadata, at }, n) => (
        <li key={n} className={`art-log ${level}`}>
          <time className="muted" dateTime={at}>
            {new Date(at).toLocaleTimeString()}
          </time>
          <span className="art-level">{level}</span>
          <span className="grow">
            {message}
            {metadata !== null && metadata !== undefined && (
              <code className="muted"> {JSON.stringify(metadata)}</code>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
