import { useMemo } from "react";
import { useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { toStream } from "../desk/index.ts";
import { UndoButton } from "../events/index.ts";
import { Timeline, type TimelineEntry } from "../ui/display/timeline.tsx";

type StreamEntry = ReturnType<typeof toStream>[number];

/** The timeline of the incident, newest first, with the same descriptions as on the ticket. */
export function Story({ id }: { readonly id: string }) {
  const { data } = useOp("incidents.get_timeline", { params: { id }, query: { limit: 50 } });
  const nameOf = useNames();
  const stream = useMemo(() => toStream(data?.data ?? [], nameOf, null), [data, nameOf]);
  return (
    <section>
      <h2>Timeline</h2>
      <Timeline label="Timeline" entries={stream.toReversed().map(toTimelineEntry)} />
    </section>
  );
}

function toTimelineEntry(entry: StreamEntry): TimelineEntry {
  const { id, at, actor } = entry;
  if (entry.sort === "filed") {
    return {
      id,
      at,
      title: `${actor.name} attached ${entry.files.map(({ name }) => name).join(", ")}`,
    };
  }
  if (entry.sort === "done") {
    const title = `${actor.name} ${entry.clauses.join(", ")}`;
    return { id, at, title, act: <UndoButton events={entry.events} /> };
  }
  const { label, isInternal, body } = entry;
  const verb = label?.toLowerCase() ?? (isInternal ? "wrote an internal note" : "commented");
  const title = `${actor.name} ${label === undefined ? verb : `${verb} the incident`}`;
  return { id, at, title, children: <p className="room-words">{body}</p> };
}
