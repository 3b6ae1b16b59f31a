import { toDate, toHour } from "../changes/index.ts";
import { useNow } from "../ui/time.tsx";

/** A due date, red if it is overdue. */
export function DueDay({ at }: { readonly at: string }) {
  const isOver = Date.parse(at) < useNow();
  return (
    <time dateTime={at} className={isOver ? "task-over" : undefined}>
      {isOver ? "was due" : "due"} {toDate(at)}, {toHour(at)}
    </time>
  );
}
