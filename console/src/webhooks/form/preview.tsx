import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Input, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Json } from "../../ui/json/json.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { parseFilter, type WebhookDraft } from "./draft.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const SHOWN = 30;
const PAUSE_MS = 400;

/** The past events that the webhook would have sent, to check its condition. */
export function Preview({
  draft,
}: {
  readonly draft: Pick<WebhookDraft, "events" | "filter" | "environments">;
}) {
  const filter = parseFilter(draft.filter);
  const body = useDebounced(
    JSON.stringify({
      events: draft.events,
      filter: filter ?? null,
      environments: draft.environments.length === 0 ? null : draft.environments,
      limit: SHOWN,
    }),
    PAUSE_MS,
  );
  const asked = JSON.parse(body) as Input<"webhooks.preview">["body"];
  // The debounced body may still be that of a draft without events.
  const isReady = draft.events.length > 0 && asked.events.length > 0 && filter !== undefined;
  const { data, error, isFetching } = useOp(
    "webhooks.preview",
    { body: asked },
    { enabled: isReady },
  );
  const [open, setOpen] = useState<string>();
  const found = data?.data;
  return (
    <section className="hook-preview" aria-label="Preview" aria-busy={isFetching}>
      <header>
        <h2>Matching past events</h2>
        <p className="muted" role="status">
          {!isReady && "Select events to see which past events match."}
          {isReady && error && error.message}
          {isReady && found && describeFound(found)}
        </p>
      </header>
      {isReady && found && found.missing.length > 0 && (
        <div className="notice hook-missing">
          <div>
            <p>
              The condition uses fields that these events do not have, so they are not sent. To use
              the ticket of an event, write <code>ticket.priority</code> instead of{" "}
              <code>data.priority</code>.
            </p>
            <ul>
              {found.missing.map(({ type, path, count: times }) => (
                <li key={`${type} ${path}`}>
                  <code>{type}</code> has no <code>{path}</code> ({count(times, "event")})
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {isReady && found && (
        <ol className="hook-past scroll">
          {found.events.map((event) => (
            <li key={event.id}>
              <PlainButton
                type="button"
                className="hook-past-row"
                aria-expanded={open === event.id}
                onClick={() => setOpen(open === event.id ? undefined : event.id)}
              >
                <span className="mono cut">{event.type}</span>
                <span className="cut muted grow">
                  {event.resource.number ?? event.resource.displayName ?? event.resource.id}
                </span>
                <Ago at={event.createdAt} />
              </PlainButton>
              {open === event.id && (
                <div className="hook-past-more">
                  <Json value={event.data} label={`Data of ${event.type}`} />
                  <Link to="/causes/$of" params={{ of: event.id }}>
                    Causes and effects
                  </Link>
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function describeFound(found: {
  readonly events: readonly unknown[];
  readonly scanned: number;
  readonly truncated: boolean;
}): string {
  const looked = `the newest ${count(found.scanned, "event")} of ${place.environment}`;
  if (found.events.length === 0) return `No matches in ${looked}.`;
  const some = count(found.events.length, "event");
  return found.truncated
    ? `${some} of ${looked}. Older events may also match.`
    : `${some} of ${looked}.`;
}
