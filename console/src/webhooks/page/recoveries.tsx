import { useState } from "react";
import { call, invalidate, type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { Section } from "../../ui/display/section.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count, toMoment } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { progressOf, SPANS, toInputTime } from "./recovery.ts";

type Recovery = Schemas["WebhookRecovery"];

const LOOK_MS = 1_000;

/** Delivers what was missed since a time, and shows how far that is. */
export function Recoveries({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const may = useMay();
  const [since, setSince] = useState(() => toInputTime(new Date(Date.now() - SPANS[0].ms)));
  const [isBusy, setBusy] = useState(false);
  const { data, error, isPending, refetch } = useOp(
    "webhooks.list_recoveries",
    { params: { id } },
    { refetchInterval: LOOK_MS },
  );
  const at = new Date(since);
  const denied = may("webhooks:write") ? undefined : "You may not recover deliveries.";
  const reason = denied ?? (Number.isNaN(at.getTime()) ? "Choose a time." : undefined);
  const recover = async (): Promise<void> => {
    setBusy(true);
    try {
      await call("webhooks.recover", { params: { id }, body: { since: at.toISOString() } });
      notify("What was missed is looked for.");
    } catch (failure) {
      notifyError(failure);
    }
    invalidate(["webhooks.list_recoveries"]);
    setBusy(false);
  };
  return (
    <div className="hook-recovery scroll">
      <Section
        title="Recover what was missed"
        about="Every event since a time that has no delivery gets one, and what failed is tried again. What arrived is not sent twice."
      >
        <div className="section-body">
          <Field label="Since">
            {(bound) => (
              <input
                {...bound}
                className="field"
                type="datetime-local"
                value={since}
                onChange={({ target }) => setSince(target.value)}
              />
            )}
          </Field>
          <div className="btn-row">
            {SPANS.map(({ label, ms }) => (
              <button
                key={label}
                className="btn"
                onClick={() => setSince(toInputTime(new Date(Date.now() - ms)))}
              >
                {label}
              </button>
            ))}
            <button
              className="btn main"
              disabled={reason !== undefined || isBusy}
              title={reason}
              onClick={() => void recover()}
            >
              Recover all
            </button>
          </div>
        </div>
      </Section>
      <Section title="Recoveries">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={3} />}
        {data?.data.length === 0 && <Empty title="None yet" />}
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
  const { since, requestedBy, requestedAt, checked, created, retried, finishedAt } = recovery;
  const part = progressOf(recovery);
  const time = Date.parse(since);
  return (
    <li className="entry hook-recovered">
      <div className="grow">
        <div className="row">
          <State
            state={finishedAt === null ? "running" : "completed"}
            label={finishedAt === null ? "Under way" : "Done"}
          />
          <strong>Since {Number.isNaN(time) ? <code>{since}</code> : toMoment(time)}</strong>
        </div>
        <progress
          max={1}
          value={part}
          aria-label={`${Math.round(part * 100)} % of the log is looked through`}
        />
        <p className="muted">
          {count(checked, "event")} looked at · {count(created, "new delivery", "new deliveries")} ·{" "}
          {count(retried, "failed one", "failed ones")} tried again · {nameOf(requestedBy) ?? "?"},{" "}
          <Ago at={requestedAt} />
        </p>
      </div>
    </li>
  );
}
