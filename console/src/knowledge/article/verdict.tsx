import { ThumbsDown, ThumbsUp } from "lucide-react";

/** The number of helpful and unhelpful votes of an article. */
export function Verdict(props: {
  readonly entry: { readonly helpfulCount: number; readonly unhelpfulCount: number };
}) {
  const { helpfulCount, unhelpfulCount } = props.entry;
  if (helpfulCount + unhelpfulCount === 0) return <span className="muted">–</span>;
  return (
    <span
      className="kb-verdict"
      role="img"
      aria-label={`Helpful: ${helpfulCount}, not helpful: ${unhelpfulCount}`}
    >
      <ThumbsUp /> {helpfulCount}
      {unhelpfulCount > 0 && (
        <span className="bad">
          <ThumbsDown /> {unhelpfulCount}
        </span>
      )}
    </span>
  );
}
