import { type Schemas, useOp } from "../../../data/api.ts";
import { useMay } from "../../../data/people.ts";
import { Ago } from "../../../ui/time.tsx";
import type { Definition } from "../../graph/graph.ts";
import { RadioButton } from "../../../ui/form/controls.tsx";

type PastEvent = Schemas["Event"];

interface PastEventsProps {
  readonly trigger: Definition["trigger"];
  /** The id of a past event; undefined for custom input. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

const EVENTS_MAX = 8;

/** The last events that match the trigger. A run can start from one of them. */
export function PastEvents({ trigger, chosen, onChoose }: PastEventsProps) {
  const events = usePastEvents(trigger);
  if (events.length === 0) return null;
  return (
    <fieldset className="past-events">
      <legend>Event</legend>
      <EventOption isChosen={chosen === undefined} onChoose={() => onChoose(undefined)}>
        <span className="grow">Custom event</span>
      </EventOption>
      {events.map((event) => (
        <EventOption
          key={event.id}
          isChosen={chosen === event.id}
          onChoose={() => onChoose(event.id)}
        >
          <span className="mono cut">{event.type}</span>
          <span className="grow cut muted">{hintOf(event)}</span>
          <Ago at={event.createdAt} />
        </EventOption>
      ))}
    </fieldset>
  );
}

function EventOption(props: {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <label className="past-event">
      <RadioButton name="event" checked={props.isChosen} onChange={props.onChoose} />
      {props.children}
    </label>
  );
}

function usePastEvents(trigger: Definition["trigger"]): readonly PastEvent[] {
  const may = useMay();
  const isHeard = trigger.type === "event_bus";
  const query = {
    limit: EVENTS_MAX,
    ...(isHeard && {
      topic: trigger.topic,
      ...(trigger.eventType !== undefined && { type: trigger.eventType }),
      ...(trigger.filter !== undefined && { filter: JSON.stringify(trigger.filter) }),
    }),
  };
  return (
    useOp("events.recent", { query }, { enabled: isHeard && may("events.recent") }).data?.data ?? []
  );
}

/** A short excerpt of the event data, to distinguish events. */
function hintOf({ data, resource }: PastEvent): string {
  const { after = data } = data as { readonly after?: unknown };
  const fields = (after ?? {}) as Readonly<Record<string, unknown>>;
  const named = ["number", "title", "name"].flatMap((key) =>
    typeof fields[key] === "string" ? [fields[key]] : [],
  );
  return named.length > 0
    ? named.join(" ")
    : resource.type === "message"
      ? JSON.stringify(after)
      : resource.id;
}
