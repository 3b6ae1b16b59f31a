import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count, toMoment } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { SPANS, toInputTime } from "./recovery.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Choice = "failed" | "missing";

/** The span to recover, what a recovery would send, and the two ways to recover it. */
export function RecoveryChoice({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const [since, setSince] = useState(() => toInputTime(new Date(Date.now() - SPANS[0].ms)));
  const [end, setEnd] = useState("");
  const [asked, setAsked] = useState<Choice>();
  const span = readSpan(since, end);
  const counted = useOp(
    "webhooks.count_recoverable",
    { params: { id }, query: span ?? { since: "" } },
    { enabled: span !== undefined },
  );
  const found = span === undefined ? undefined : counted.data?.data;
  const denied = useRefusal("webhooks.recover");
  const refusalOf = (choice: Choice): string | undefined => {
    if (denied !== undefined || !span) return denied ?? "Select a start before the end.";
    return found?.[choice] === 0 && !found.truncated ? "Nothing to send." : undefined;
  };
  const recover = async (only: Choice): Promise<void> => {
    if (!span) return;
    setAsked(undefined);
    try {
      await call("webhooks.recover", { params: { id }, body: { ...span, only } });
      notify(only === "failed" ? "Failed deliveries are retried." : "Missing events are sent.");
    } catch (failure) {
      notifyError(failure);
    }
  };
  const more = found?.truncated === true ? " or more" : "";
  return (
    <div className="section-body">
      <TimeInput label="Since" value={since} onChange={setSince} />
      <TimeInput label="Until" help="Leave empty for now." value={end} onChange={setEnd} />
      <div className="btn-row">
        {SPANS.map(({ label, ms }) => (
          <Button key={label} onClick={() => setSince(toInputTime(new Date(Date.now() - ms)))}>
            {label}
          </Button>
        ))}
      </div>
      <p role="status" className="muted">
        {counted.error !== null && counted.error.message}
        {found &&
          `${count(found.failed, "failed delivery", "failed deliveries")}${more}, ${count(found.missing, "missing event")}${more}.`}
      </p>
      <div className="btn-row">
        {(["failed", "missing"] as const).map((choice) => (
          <Button
            look="main"
            refusal={refusalOf(choice)}
            key={choice}
            onClick={() => setAsked(choice)}
          >
            {LABELS[choice]}
          </Button>
        ))}
      </div>
      {asked && found && span && (
        <Confirm
          title={`${LABELS[asked]}?`}
          act={LABELS[asked]}
          keep="Cancel"
          isGentle
          onAct={() => void recover(asked)}
          onClose={() => setAsked(undefined)}
        >
          {asked === "failed"
            ? `${count(found.failed, "failed delivery", "failed deliveries")}${more} of ${webhook.name} will be retried`
            : `${count(found.missing, "event")}${more} will be sent to ${webhook.name}`}
          , from {toMoment(span.since)} to {span.until === undefined ? "now" : toMoment(span.until)}
          .
        </Confirm>
      )}
    </div>
  );
}

const LABELS: Readonly<Record<Choice, string>> = {
  failed: "Recover failed",
  missing: "Replay missing",
};

function readSpan(
  since: string,
  end: string,
): { readonly since: string; readonly until?: string } | undefined {
  const [from, until] = [
    new Date(since).getTime(),
    end === "" ? undefined : new Date(end).getTime(),
  ];
  if (Number.isNaN(from) || Number.isNaN(until ?? 0) || (until ?? Infinity) <= from)
    return undefined;
  return {
    since: new Date(from).toISOString(),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

interface TimeInputProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TimeInput({ label, help, value, onChange }: TimeInputProps) {
  return (
    <Field label={label} help={help}>
      {(bound) => (
        <TextInput
          {...bound}
          type="datetime-local"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
