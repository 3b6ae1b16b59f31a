import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { LogEvent } from "../../data/live/live.ts";
import { usePathOf } from "../../data/people.ts";
import { undoChanges, useUndoable } from "../../data/undo/undo.ts";
import { EventData } from "../event-data.tsx";
import { nameMaker, nameThing } from "../event-words.ts";
import type { EventsSearch } from "../search.ts";
import { toExactTime } from "../../ui/words.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

/** An event: actor, resource, content, and links to related events. */
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
        <Button look="bare" isIcon aria-label="Close" onClick={props.onClose}>
          <X />
        </Button>
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
          <Button onClick={() => void undoChanges([{ eventId: id }])}>Undo this change</Button>
        )}
        {runId !== undefined && resource.type !== "run" && (
          <Link className="btn" to="/runs/$id" params={{ id: runId }} search={{ step: stepId }}>
            Open step
          </Link>
        )}
      </p>
      <dl className="event-facts">
        <dt>Time</dt>
        <dd>
          <time dateTime={event.createdAt}>{toExactTime(event.createdAt)}</time>
        </dd>
        <dt>Resource</dt>
        <dd>
          <PlainButton
            className="event-only"
            title="Show only events of this resource"
            onClick={() => onFilter({ thing: resource.id })}
          >
            {nameThing(event)}
          </PlainButton>{" "}
          <PlainButton
            className="event-only muted"
            title="Show only events of this resource type"
            onClick={() => onFilter({ kind: resource.type })}
          >
            {resource.type.replaceAll("_", " ")}
          </PlainButton>
        </dd>
        <dt>Actor</dt>
        <dd>
          <PlainButton
            className="event-only"
            title="Show only events of this actor"
            onClick={() => onFilter({ actor: actor.id })}
          >
            {actor.name}
          </PlainButton>
          {maker !== undefined && <span className="muted"> by {maker}</span>}
        </dd>
        <dt>Correlation ID</dt>
        <dd>
          <PlainButton
            className="event-only mono"
            title="Show only events with this correlation ID"
            onClick={() => onFilter({ chain: correlationId })}
          >
            {correlationId}
          </PlainButton>
        </dd>
        <dt>ID</dt>
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
