import "./ticket.css";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { PastBanner, PastError } from "../../past/index.ts";
import { useTitle } from "../../shell/title.ts";
import { Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Priority } from "../queue/due-mark.tsx";
import { toStream } from "../stream/moments.ts";
import { Stream } from "../stream/stream.tsx";
import { getOf, type Kind, type Moment, toTicket, useTimeline } from "../ticket-kind.ts";
import { useCallerName } from "../use-caller.ts";
import { Facts } from "./facts.tsx";

interface PastTicketProps {
  readonly kind: Kind;
  readonly number: string;
  readonly at: string;
  readonly onAt: (at: string | undefined) => void;
}

/** Shows a ticket at a point in time with the previous activity. */
export function PastTicket({ kind, number, at, onAt }: PastTicketProps) {
  const input = { params: { id: number }, query: { asOf: at } };
  const { data, error, isPlaceholderData, refetch } = useOp(getOf(kind), input);
  const timeline = useTimeline(kind, number).data?.data as readonly Moment[] | undefined;
  const ticket = useMemo(
    () => (data && !isPlaceholderData ? toTicket(kind, data.data) : undefined),
    [kind, data, isPlaceholderData],
  );
  useTitle(ticket && `${ticket.number} ${ticket.title}`);
  const moments = useMemo(() => (timeline ?? []).map((moment) => moment.at), [timeline]);
  return (
    <section className="ticket" aria-label={`Earlier version of ${number}`}>
      <PastBanner {...{ at, moments }} onChange={onAt} />
      {error && <PastError error={error} retry={() => void refetch()} />}
      {!ticket && !error && <Loading rows={9} />}
      {ticket && !error && <PastSheet {...{ ticket, timeline, at, onAt }} />}
    </section>
  );
}

interface PastSheetProps extends Pick<PastTicketProps, "at" | "onAt"> {
  readonly ticket: ReturnType<typeof toTicket>;
  readonly timeline: readonly Moment[] | undefined;
}

function PastSheet({ ticket, timeline, at, onAt }: PastSheetProps) {
  const nameOf = useNames();
  const callerName = useCallerName(ticket);
  const entries = useMemo(() => {
    const then = (timeline ?? []).filter((moment) => Date.parse(moment.at) <= Date.parse(at));
    return toStream(then, nameOf, ticket.callerId);
  }, [timeline, at, nameOf, ticket.callerId]);
  return (
    <>
      <header className="ticket-head">
        <Priority priority={ticket.priority} isMajor={ticket.isMajor} />
        <span className="mono muted ticket-number">{ticket.number}</span>
        <State state={ticket.state} />
      </header>
      <div className="ticket-body strip-open">
        <div className="ticket-main">
          <div className="ticket-scroll scroll" tabIndex={0} role="region" aria-label="Activity">
            <h1 className="ticket-title">{ticket.title}</h1>
            <Facts ticket={ticket} fixed="This is an earlier version. It is read-only." />
            {ticket.kind === "problem" && <PastFindings all={ticket.all} />}
            <Stream {...{ ticket, entries, callerName }} onSee={onAt} isPast />
          </div>
        </div>
      </div>
    </>
  );
}

const FINDINGS = [
  ["rootCause", "Cause"],
  ["workaround", "Workaround"],
] as const;

/** The findings of a problem at that time: cause and workaround. */
function PastFindings({ all }: { readonly all: Readonly<Record<string, unknown>> }) {
  const found = FINDINGS.filter(([name]) => typeof all[name] === "string" && all[name] !== "");
  if (found.length === 0) return null;
  return (
    <dl className="past-findings">
      {found.map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>{String(all[name] as string)}</dd>
        </div>
      ))}
    </dl>
  );
}
