import "../marks.css";
import { Pause } from "lucide-react";
import { useNow } from "../../ui/time.tsx";
import { type Due, leftOf, shareOf, toDueWords, toneOfDue } from "./due.ts";
import { toMoment } from "../../ui/words.ts";

interface DueMarkProps {
  readonly due: Due | undefined;
  readonly onHoldReason?: string | null;
}

/** The remaining time of an SLA target, as a bar and text. Grey with the reason while paused. */
export function DueMark({ due, onHoldReason }: DueMarkProps) {
  const now = useNow();
  if (!due) return null;
  const tone = toneOfDue(due, now);
  const share = shareOf(due, now);
  if (due.state === "paused") {
    const reason = onHoldReason ?? "Paused";
    return (
      <span className="due idle" title={`${due.promise} paused: ${reason}`}>
        <Pause className="ico" aria-hidden="true" />
        <span className="cut due-why">{reason}</span>
      </span>
    );
  }
  const left = leftOf(due, now);
  const when = due.dueAt === null ? "" : `, ${toMoment(due.dueAt)}`;
  return (
    <span className={`due ${tone}`} title={`${due.promise}${when}`}>
      <span className="due-bar" aria-hidden="true">
        <i style={{ width: `${Math.round((left <= 0 ? 1 : share) * 100)}%` }} />
      </span>
      <span className="due-left">{toDueWords(left)}</span>
      <span className="hide">{left <= 0 ? " late" : " left"}</span>
    </span>
  );
}

const WORDS = ["", "Critical", "High", "Medium", "Low", "Planning"];

/** P1 to P5, with a mark for major incidents. */
export function Priority({
  priority,
  isMajor,
}: {
  readonly priority: number | null;
  readonly isMajor?: boolean;
}) {
  if (priority === null && !isMajor) return <span className="prio none" aria-hidden="true" />;
  const words = isMajor ? "Major incident" : `Priority ${priority}, ${WORDS[priority ?? 0] ?? ""}`;
  return (
    <span
      className={`prio p${isMajor ? 1 : priority}${isMajor ? " major" : ""}`}
      role="img"
      aria-label={words}
      title={words}
    >
      P{priority ?? 1}
    </span>
  );
}
