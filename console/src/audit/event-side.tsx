import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { Schemas } from "../data/api.ts";
import { EventData } from "../events/index.ts";
import { Ago } from "../ui/time.tsx";
import { Button } from "../ui/form/button.tsx";

/** An event: user, action, values before and after, and all other data. */
export function EventSide(props: {
  readonly event: Schemas["Event"];
  readonly onClose: () => void;
}) {
  const { id, type, createdAt, actor, resource, data, environment, requestId } = props.event;
  return (
    <aside className="audit-side scroll" aria-label="Event">
      <header className="row">
        <h2 className="grow mono">{type}</h2>
        <Button look="bare" isIcon aria-label="Close" onClick={props.onClose}>
          <X />
        </Button>
      </header>
      <p>
        {actor.name} <span className="muted">({actor.type.replaceAll("_", " ")})</span> ·{" "}
        <Ago at={createdAt} /> · {environment}
      </p>
      <p className="muted">
        {resource.type}{" "}
        <span className="mono">{resource.number ?? resource.displayName ?? resource.id}</span>
      </p>
      <Link to="/causes/$of" params={{ of: id }} className="btn">
        Causes and effects
      </Link>
      <EventData data={data} />
      {requestId !== null && <p className="muted mono">{requestId}</p>}
    </aside>
  );
}
