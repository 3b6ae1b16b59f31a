import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { pauseReason, type Webhook } from "../health.ts";
import { Button } from "../../ui/form/button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";

const COUNTED = 200;

/** Says since when and why a webhook is paused, and what waits for it. */
export function PauseNotice({ webhook }: { readonly webhook: Webhook }) {
  const refusalOf = useRefusals();
  const [isAsked, setAsked] = useState(false);
  const missed = useMissed(webhook);
  const reason = refusalOf("webhooks.resume");
  return (
    <div className="notice hook-pause" role="status">
      <span className="grow">
        <strong>{pauseReason(webhook.pausedBecause)}</strong>{" "}
        {webhook.pausedAt !== null && <Ago at={webhook.pausedAt} />} {missed}
      </span>
      <Button refusal={reason} onClick={() => setAsked(true)}>
        Resume…
      </Button>
      {isAsked && <ResumeDialog webhook={webhook} onClose={() => setAsked(false)} />}
    </div>
  );
}

/** How many events happened since that it would have been sent. */
function useMissed({ events, filter, environments, pausedAt }: Webhook): string {
  const body = { events, filter, environments, limit: COUNTED, from: pausedAt ?? "" };
  const found = useOp("webhooks.preview", { body }, { enabled: pausedAt !== null }).data?.data;
  if (!found) return "";
  if (found.events.length === 0) return "Nothing has happened since that it would have been sent.";
  const n = count(found.events.length, "event");
  return `${found.truncated ? "At least " : ""}${n} since then ${found.events.length === 1 ? "waits" : "wait"} for it.`;
}

type From = "pausedAt" | "now";

/** Ends a pause: from where it stopped, or from now. */
export function ResumeDialog(props: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { id, name } = props.webhook;
  const [from, setFrom] = useState<From>("pausedAt");
  const [isBusy, setBusy] = useState(false);
  const missed = useMissed(props.webhook);
  const resume = async (): Promise<void> => {
    setBusy(true);
    try {
      await call("webhooks.resume", { params: { id }, body: { from } });
      notify(from === "now" ? `${name} goes on from now.` : `${name} goes on where it stopped.`);
      props.onClose();
    } catch (error) {
      notifyError(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Resume ${name}`}
      onClose={props.onClose}
      onSubmit={() => void resume()}
      footer={
        <Button look="main" disabled={isBusy}>
          Resume
        </Button>
      }
    >
      <p>{missed}</p>
      <fieldset className="hook-choice">
        <legend className="hide">From where</legend>
        <label>
          <RadioButton
            name="from"
            checked={from === "pausedAt"}
            onChange={() => setFrom("pausedAt")}
          />
          <span>
            <strong>From where it stopped</strong>
            <span className="muted">Nothing is lost: what was missed comes first, in order.</span>
          </span>
        </label>
        <label>
          <RadioButton name="from" checked={from === "now"} onChange={() => setFrom("now")} />
          <span>
            <strong>From now</strong>
            <span className="muted">
              What happened meanwhile is left out. It can be recovered later.
            </span>
          </span>
        </label>
      </fieldset>
    </Dialog>
  );
}
