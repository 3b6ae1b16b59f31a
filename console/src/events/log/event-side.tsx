import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { LogEvent } from "../../data/live/live.ts";
import { usePathOf } from "../../data/people.ts";
import { undoChanges, useUndoable } from "../../data/undo/undo.ts";
import { EventData } from "../event-data.tsx";
import { nameMaker, nameThing } from "../event-words.ts";
import type { EventsSearch } from "../search.ts";
import { toExactTime } from "../../ui/words.ts";

/** One event: who did what to which thing, all that it says, and the ways on from it. */
export function EventSide(props: {
  readonly event: LogEvent;
  readonly onFilter: (change: EventsSearch) => void;
  readonly onClose: () => void;
}) {
  const { event, onFilter } = props;
  const { id, type, resource, actor, correlationId, requestId, runId, stepId } = event;
  const screen = usePathOf()(resource.type, resource.id, resource.number);
  const maker = nameMaker(event);
  const isUndoable = useUndoable();
  return (
    <aside className="events-side scroll" aria-label="Event">
      <header className="row">
        <h2 className="grow mono">{type}</h2>
        <button className="btn bare icon" aria-label="Close" onClick={props.onClose}>
          <X />
        </button>
      </header>
      <p className="row events-ways">
        <Link className="btn" to="/causes/$of" params={{ of: id }}>
          Causes and effects
        </Link>
        {screen !== undefined && (
          <Link className="btn" to={screen}>
            Open {resource.number ?? resource.type.replaceAll("_", " ")}
          </Link>
        )}
        {isUndoable(type) && (
          <button className="btn" onClick={() => void undoChanges([{ eventId: id }])}>
            Undo this change
          </button>
        )}
        {runId !== undefined && resource.type !== "run" && (
          <Link className="btn" to="/runs/$id" params={{ id: runId }} search={{ step: stepId }}>
            Open the step
          </Link>
        )}
      </p>
      <dl className="event-facts">
        <dt>When</dt>
        <dd>
          <time dateTime={event.createdAt}>{toExactTime(event.createdAt)}</time>
        </dd>
        <dt>Resource</dt>
        <dd>
          <button
            className="event-only"
            title="Only events of this resource"
            onClick={() => onFilter({ thing: resource.id })}
          >
            {nameThing(event)}
          </button>{" "}
          <button
            className="event-only muted"
            title="Only events of this kind of resource"
            onClick={() => onFilter({ kind: resource.type })}
          >
            {resource.type.replaceAll("_", " ")}
          </button>
        </dd>
        <dt>By</dt>
        <dd>
          <button
            className="event-only"
            title="Only what they did"
            onClick={() => onFilter({ actor: actor.id })}
          >
            {actor.name}
          </button>
          {maker !== undefined && <span className="muted"> by {maker}</span>}
        </dd>
        <dt>Correlation</dt>
        <dd>
          <button
            className="event-only mono"
            title="Only events of this correlation"
            onClick={() => onFilter({ chain: correlationId })}
          >
            {correlationId}
          </button>
        </dd>
        <dt>Id</dt>
        <dd className="mono">{id}</dd>
        {requestId !== null && (
          <>
            <dt>Request</dt>
            <dd className="mono">{requestId}</dd>
          </>
        )}
      </dl>
      <EventData data={event.data} />
    </aside>
  );
}
