import { toDate, toHour } from "../changes/index.ts";
import { useNow } from "../ui/time.tsx";

/** The day on which something is due; red when it is over. */
export function DueDay({ at }: { readonly at: string }) {
  const isOver = Date.parse(at) < useNow();
  return (
    <time dateTime={at} className={isOver ? "task-over" : undefined}>
      {isOver ? "was due" : "due"} {toDate(at)}, {toHour(at)}
    </time>
  );
}
