import "./progress.css";

/** Progress as a bar and as text. */
export function Progress(props: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly words: string;
}) {
  const { label, value, max, words } = props;
  return (
    <div className="progress">
      <progress aria-label={label} value={Math.min(value, max)} max={Math.max(max, 1)} />
      <span className="muted progress-words">{words}</span>
    </div>
  );
}
