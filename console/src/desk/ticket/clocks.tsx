import { Check, Pause, TimerOff } from "lucide-react";
import { Popover } from "../../ui/overlay/popover.tsx";
import { State } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { toDuration, toExactTime, toWords } from "../../ui/words.ts";
import { type Due, leftOf, shareOf, toDueWords, toneOfDue } from "../queue/due.ts";
import type { Clock } from "../ticket-kind.ts";

const MINUTE_MS = 60_000;

interface ClocksProps {
  readonly clocks: readonly Clock[];
  readonly readAtMs: number;
  readonly reason: string | null;
}

/** The SLA clocks of a ticket. Each opens its history: every change of state with the event that caused it. */
export function Clocks({ clocks, readAtMs, reason }: ClocksProps) {
  const shown = clocks.filter(({ state }) => state !== "cancelled");
  return shown
    .toSorted((a, b) => (a.dueAt ?? "9").localeCompare(b.dueAt ?? "9"))
    .map((clock) => (
      <ClockButton key={`${clock.policyId}${clock.metric}`} {...{ clock, readAtMs, reason }} />
    ));
}

function ClockButton({
  clock,
  readAtMs,
  reason,
}: { readonly clock: Clock } & Omit<ClocksProps, "clocks">) {
  const now = useNow();
  const due = toDue(clock, readAtMs);
  const words = due
    ? ` ${toDueWords(due.state === "paused" ? due.remainingMs : leftOf(due, now))}`
    : "";
  return (
    <Popover
      label={`${nameOfMetric(clock.metric)}${words}, ${clock.policyName}`}
      className="clock-button"
      button={<Face clock={clock} due={due} now={now} />}
    >
      {() => <ClockStory clock={clock} reason={reason} />}
    </Popover>
  );
}

const METRICS: Readonly<Record<string, string>> = {
  response: "Response",
  resolution: "Resolution",
};
const nameOfMetric = (metric: string): string => METRICS[metric] ?? toWords(metric);

function toDue(clock: Clock, readAtMs: number): Due | undefined {
  const { state } = clock;
  if (state !== "running" && state !== "paused" && state !== "breached") return undefined;
  if (clock.stoppedAt !== null) return undefined;
  return {
    state,
    dueAt: clock.dueAt,
    remainingMs: clock.remainingMs,
    targetMs: clock.targetMinutes * MINUTE_MS,
    isCounting: clock.counting,
    readAtMs,
    promise: clock.policyName,
  };
}

interface FaceProps {
  readonly clock: Clock;
  readonly due: Due | undefined;
  readonly now: number;
}

function Face({ clock, due, now }: FaceProps) {
  const name = nameOfMetric(clock.metric);
  if (!due) {
    const isMet = clock.state === "met";
    return (
      <span className={`clock-face ${isMet ? "ok" : "bad"} over`}>
        {isMet ? <Check className="ico" /> : <TimerOff className="ico" />}
        {name}
      </span>
    );
  }
  if (due.state === "paused") {
    return (
      <span className="clock-face idle">
        <Pause className="ico" />
        {name} <b>{toDueWords(due.remainingMs)}</b>
      </span>
    );
  }
  const left = leftOf(due, now);
  return (
    <span className={`clock-face ${toneOfDue(due, now)}`}>
      <Ring share={left <= 0 ? 1 : shareOf(due, now)} />
      {name} <b>{toDueWords(left)}</b>
    </span>
  );
}

export function Ring({ share }: { readonly share: number }) {
  return (
    <svg className="ring" viewBox="0 0 16 16" aria-hidden="true">
      <circle r="6" cx="8" cy="8" />
      <circle r="6" cx="8" cy="8" pathLength="100" strokeDasharray={`${share * 100} 100`} />
    </svg>
  );
}

const TURNS: Readonly<Record<string, string>> = {
  policy_matched: "SLA policy applied",
  policy_left: "SLA policy no longer applies",
};

function ClockStory({ clock, reason }: { readonly clock: Clock; readonly reason: string | null }) {
  const target = toDuration(clock.targetMinutes * MINUTE_MS);
  return (
    <div className="clock-story">
      <p className="row">
        <strong className="grow">
          {toWords(clock.metric)} · {clock.policyName}
        </strong>
        <State state={clock.state} />
      </p>
      <p className="muted">
        {toDuration(clock.elapsedMs)} of {target} (business hours)
        {clock.dueAt !== null && `, due ${toExactTime(clock.dueAt)}`}
      </p>
      {clock.state === "paused" && reason !== null && <p>Paused: {reason}</p>}
      <ol className="clock-turns">
        {clock.timeline.map((turn) => (
          <li key={`${turn.eventId}${turn.change}`}>
            <time dateTime={turn.at}>{toExactTime(turn.at)}</time>
            <span className="grow">{TURNS[turn.change] ?? toWords(turn.change)}</span>
            <span className="muted">{toDuration(turn.elapsedMs)}</span>
            <a className="link" href={`causes/${turn.eventId}`} title={turn.eventId}>
              View causes
            </a>
          </li>
        ))}
        {clock.breachedAt !== null && (
          <li className="bad">
            <time dateTime={clock.breachedAt}>{toExactTime(clock.breachedAt)}</time>
            <span className="grow">SLA breached</span>
          </li>
        )}
      </ol>
    </div>
  );
}
