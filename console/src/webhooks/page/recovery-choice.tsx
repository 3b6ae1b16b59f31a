import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { freeField } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { notify } from "../../ui/toast.tsx";
import { count, toMoment } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { SPANS } from "./recovery.ts";

type Choice = "failed" | "missing";

const before = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** The period to recover, the deliveries that would be sent, and two ways to recover them. */
export function RecoveryChoice({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const [since, setSince] = useState(() => before(SPANS[0].ms));
  const [end, setEnd] = useState("");
  const [asked, setAsked] = useState<Choice>();
  const span = readSpan(since, end);
  const counted = useOp(
    "webhooks.count_recoverable",
    { params: { id }, query: span ?? { since: "" } },
    { enabled: span !== undefined },
  );
  const found = span === undefined ? undefined : counted.data?.data;
  const recover = useCommand("webhooks.recover", {
    refusal: span ? undefined : "Select a start before the end.",
  });
  const commandOf = (choice: Choice) => ({
    isBusy: recover.isBusy,
    refusal:
      recover.refusal ??
      (found?.[choice] === 0 && !found.truncated ? "Nothing to send." : undefined),
  });
  const start = (only: Choice): void => {
    if (!span) return;
    setAsked(undefined);
    void recover.run({ params: { id }, body: { ...span, only } }).then((reply) => {
      const said =
        only === "failed" ? "Failed deliveries are retried." : "Missing events are sent.";
      if (reply) notify(said);
    });
  };
  const more = found?.truncated === true ? " or more" : "";
  return (
    <div className="section-body">
      <DateTimeField {...freeField("since", since, (next) => setSince(next ?? ""))} />
      <DateTimeField
        {...freeField("until", end, (next) => setEnd(next ?? ""))}
        help="Leave empty to include all events until now."
        isRequired={false}
      />
      <div className="btn-row">
        {SPANS.map(({ label, ms }) => (
          <Button key={label} onClick={() => setSince(before(ms))}>
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
          <CommandButton
            key={choice}
            isMain
            command={commandOf(choice)}
            onPress={() => setAsked(choice)}
          >
            {LABELS[choice]}
          </CommandButton>
        ))}
      </div>
      {asked && found && span && (
        <Confirm
          title={`${LABELS[asked]}?`}
          act={LABELS[asked]}
          isGentle
          onAct={() => start(asked)}
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

/** Converts the inputs to API timestamps; undefined if the period is empty or reversed. */
function readSpan(
  since: string,
  until: string,
): { readonly since: string; readonly until?: string } | undefined {
  if (since === "" || (until !== "" && Date.parse(until) <= Date.parse(since))) return undefined;
  return { since, ...(until !== "" && { until }) };
}
