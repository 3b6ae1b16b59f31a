import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { Section } from "../../ui/display/section.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { count, toMoment } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { RecoveryChoice } from "./recovery-choice.tsx";
import { progressOf } from "./recovery.ts";

type Recovery = Schemas["WebhookRecovery"];

const LOOK_MS = 1_000;

/** Recovers failed and missing deliveries of a period, and shows the progress. */
export function Recoveries({ webhook }: { readonly webhook: Webhook }) {
  const { data, error, isPending, refetch } = useOp(
    "webhooks.list_recoveries",
    { params: { id: webhook.id } },
    { refetchInterval: LOOK_MS },
  );
  return (
    <div className="hook-recovery scroll">
      <Section
        title="Recover deliveries"
        about="Retry failed deliveries, or send events that have no delivery, in the order of the events. Delivered events, and events from before the webhook was created, are not sent."
      >
        <RecoveryChoice webhook={webhook} />
      </Section>
      <Section title="Recoveries">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={3} />}
        {data?.data.length === 0 && <Empty title="No recoveries yet" />}
        <ul>
          {data?.data.map((recovery) => (
            <RecoveryEntry key={recovery.id} recovery={recovery} />
          ))}
        </ul>
      </Section>
    </div>
  );
}

function RecoveryEntry({ recovery }: { readonly recovery: Recovery }) {
  const nameOf = useNames();
  const { since, until, only, requestedBy, requestedAt, checked, created, retried, finishedAt } =
    recovery;
  const part = progressOf(recovery);
  const time = Date.parse(since);
  return (
    <li className="entry hook-recovered">
      <div className="grow">
        <div className="row">
          <State
            state={finishedAt === null ? "running" : "completed"}
            label={finishedAt === null ? "Running" : "Completed"}
          />
          <strong>
            {only === "failed" && "Failed since "}
            {only === "missing" && "Missing since "}
            {only === null && "Since "}
            {Number.isNaN(time) ? <code>{since}</code> : toMoment(time)}
            {until !== null && ` until ${toMoment(until)}`}
          </strong>
        </div>
        <progress
          max={1}
          value={part}
          aria-label={`${Math.round(part * 100)} % of the events checked`}
        />
        <p className="muted">
          {count(checked, "event")} checked · {count(created, "new delivery", "new deliveries")} ·{" "}
          {count(retried, "failed delivery", "failed deliveries")} retried ·{" "}
          {nameOf(requestedBy) ?? "Former member"}, <Ago at={requestedAt} />
        </p>
      </div>
    </li>
  );
}
