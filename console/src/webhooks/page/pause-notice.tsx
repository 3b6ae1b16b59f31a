import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useRefusal } from "../../data/people.ts";
import { Button } from "../../ui/form/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { RadioField } from "../../ui/form/pickers/radio-field.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { pauseReason, type Webhook } from "../health.ts";

const COUNTED = 200;

/** Shows since when and why a webhook is paused, and how many events are waiting. */
export function PauseNotice({ webhook }: { readonly webhook: Webhook }) {
  const [isAsked, setAsked] = useState(false);
  const missed = useMissed(webhook);
  const reason = useRefusal("webhooks.resume");
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

/** Counts the matching events since the pause. */
function useMissed({ events, filter, environments, pausedAt }: Webhook): string {
  const body = { events, filter, environments, limit: COUNTED, from: pausedAt ?? "" };
  const found = useOp("webhooks.preview", { body }, { enabled: pausedAt !== null }).data?.data;
  if (!found) return "";
  if (found.events.length === 0) return "No matching events since then.";
  const n = count(found.events.length, "event");
  return `${found.truncated ? "At least " : ""}${n} since then ${found.events.length === 1 ? "is" : "are"} not sent yet.`;
}

/** Resumes a webhook, from where it stopped or from now. */
export function ResumeDialog(props: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { id, name } = props.webhook;
  const missed = useMissed(props.webhook);
  const form = useForm("webhooks.resume", {
    params: { id },
    initial: { from: "pausedAt" },
    said: ({ data }) => `${data.name} resumed.`,
    onDone: props.onClose,
  });
  return (
    <FormDialog form={form} title={`Resume ${name}`} act="Resume" onClose={props.onClose}>
      <p>{missed}</p>
      <RadioField
        {...form.field("from")}
        label="Start from"
        hidesLabel
        options={[
          ["pausedAt", "The time of the pause", "Missed events are sent first, in order."],
          ["now", "Now", "Events since the pause are skipped. They can be recovered later."],
        ]}
      />
    </FormDialog>
  );
}
