import "./events.css";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useOp } from "../data/api.ts";
import { onEvent } from "../data/live/live.ts";
import { useMay } from "../data/people.ts";
import { undoChanges, useUndoable } from "../data/undo/undo.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";
import { EventData } from "./event-data.tsx";
import { nameMaker } from "./event-words.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

const SHOWN = 30;

/** Shows a resource's history, newest first. `type` and `id` are the values used in events. */
export function History({ type, id }: { readonly type: string; readonly id: string }) {
  const mayRead = useMay()("events.recent");
  const [open, setOpen] = useState<string>();
  const isUndoable = useUndoable();
  const { data, error, refetch } = useOp(
    "events.recent",
    { query: { resourceType: type, resourceId: id, limit: SHOWN } },
    { enabled: mayRead },
  );
  useEffect(
    () =>
      onEvent((event) => {
        // Presence messages have no id and are not in the log.
        if (event.id !== "" && event.resource.id === id) void refetch();
      }),
    [id, refetch],
  );
  if (!mayRead) return <p className="muted">You don't have permission to read events.</p>;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={5} />;
  if (data.data.length === 0) return <Empty title="No events yet" />;
  return (
    <div className="history">
      <ol>
        {data.data.map((event) => {
          const maker = nameMaker(event);
          const isOpen = event.id === open;
          return (
            <li key={event.id}>
              <PlainButton
                className="history-row"
                aria-expanded={isOpen}
                onClick={() => setOpen(isOpen ? undefined : event.id)}
              >
                <span className="mono cut grow">{event.type}</span>
                <span className="muted cut">
                  {event.actor.name}
                  {maker !== undefined && ` · ${maker}`}
                </span>
                <Ago at={event.createdAt} />
              </PlainButton>
              {isOpen && (
                <div className="history-data">
                  <EventData data={event.data} />
                  {isUndoable(event.type) && (
                    <Button onClick={() => void undoChanges([{ eventId: event.id }])}>
                      Undo this change
                    </Button>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      <p className="row events-ways">
        <Link className="btn bare" to="/events" search={{ thing: id, kind: type }}>
          Open in event log
        </Link>
        <Link className="btn bare" to="/causes/$of" params={{ of: id }}>
          Causes and effects
        </Link>
      </p>
    </div>
  );
}
