import { Link } from "@tanstack/react-router";
import { RotateCcw, Repeat, X } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Timeline } from "../../ui/display/timeline.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { count, toDuration } from "../../ui/words.ts";
import { BodyText, HeaderList } from "../message.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

type Detail = Schemas["WebhookDeliveryDetail"];
type Attempt = Detail["attemptLog"][number];

const LOOK_MS = 2_000;

interface DeliverySideProps {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onOpen: (deliveryId: string) => void;
  readonly onClose: () => void;
}

/** A delivery: request, response and all attempts. */
export function DeliverySide({ webhookId, deliveryId, onOpen, onClose }: DeliverySideProps) {
  const params = { id: webhookId, deliveryId };
  const { data, error, isPending, refetch } = useOp(
    "webhooks.get_delivery",
    { params },
    { refetchInterval: LOOK_MS },
  );
  const delivery = data?.data;
  // A due delivery of a paused webhook waits until the webhook is resumed.
  const nowText = new Date().toISOString();
  return (
    <aside className="hook-side scroll" aria-label="Delivery">
      <header className="row">
        <h2 className="grow mono cut">{delivery?.eventType ?? "Delivery"}</h2>
        <Button look="bare" isIcon aria-label="Close" onClick={onClose}>
          <X />
        </Button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {delivery && (
        <>
          <p className="row hook-about">
            <State state={delivery.status} />
            <span className="muted">
              {count(delivery.attempts, "attempt")} · <Ago at={delivery.createdAt} />
            </span>
            {delivery.nextAttemptAt !== null && delivery.nextAttemptAt > nowText && (
              <span className="muted">
                next <Ago at={delivery.nextAttemptAt} />
              </span>
            )}
          </p>
          <Acts delivery={delivery} onOpen={onOpen} />
          <Answer delivery={delivery} />
          <section aria-label="Request" className="hook-part">
            <h3>Request</h3>
            <p className="mono hook-line">
              {delivery.request.method} {delivery.request.url}
            </p>
            <HeaderList headers={delivery.request.headers} />
            {delivery.request.body === null ? (
              <p className="muted">
                The body can't be shown: the event was deleted after the retention period, or you
                don't have permission to see it.
              </p>
            ) : (
              <BodyText text={delivery.request.body} label="Body of the request" />
            )}
          </section>
          <section aria-label="Attempts" className="hook-part">
            <h3>Attempts</h3>
            {delivery.attemptLog.length === 0 && <p className="muted">None yet.</p>}
            <Timeline
              label="Attempts"
              entries={delivery.attemptLog.toReversed().map((attempt) => ({
                id: String(attempt.number),
                at: attempt.at,
                tone: isGood(attempt) ? "ok" : "bad",
                title: describeAttempt(attempt),
                children: attempt.body && attempt.number < delivery.attempts && (
                  <BodyText text={attempt.body} label={`Response ${attempt.number}`} />
                ),
              }))}
            />
          </section>
          <p className="row hook-links">
            <Link to="/causes/$of" params={{ of: delivery.eventId }}>
              Causes and effects
            </Link>
            {delivery.replayOf !== null && (
              <PlainButton className="link" onClick={() => onOpen(delivery.replayOf ?? "")}>
                Original delivery
              </PlainButton>
            )}
            <span className="muted mono cut">{delivery.id}</span>
          </p>
        </>
      )}
    </aside>
  );
}

function Acts(props: { readonly delivery: Detail; readonly onOpen: (id: string) => void }) {
  const { id: deliveryId, webhookId, status } = props.delivery;
  const params = { id: webhookId, deliveryId };
  const retry = useCommand("webhooks.retry_delivery", {
    refusal: status === "failed" ? undefined : "Only a failed delivery can be retried.",
    said: ({ data }) => {
      const answer = data.lastResponseStatus ?? data.lastError ?? "no response";
      return data.status === "succeeded"
        ? `Delivered: ${answer}.`
        : `Delivery failed again: ${answer}.`;
    },
  });
  const replay = useCommand("webhooks.replay_delivery", {
    said: "The event is sent again as a new delivery.",
    onDone: ({ data }) => props.onOpen(data.id),
  });
  const runRetry = (): void => void retry.run({ params });
  const runReplay = (): void => void replay.run({ params });
  useActions([
    {
      keys: "r",
      label: "Retry delivery",
      run: runRetry,
      disabled: retry.refusal,
      asks: {
        title: "Retry this delivery?",
        text: "The request is sent to the receiver again.",
        act: "Retry",
      },
    },
    {
      keys: "shift+r",
      label: "Replay delivery",
      run: runReplay,
      disabled: replay.refusal,
      asks: {
        title: "Replay this delivery?",
        text: "The event is sent to the receiver as a new delivery.",
        act: "Replay",
      },
    },
  ]);
  return (
    <div className="row hook-acts">
      <CommandButton command={retry} keys="r" onPress={runRetry}>
        <RotateCcw /> Retry
      </CommandButton>
      <CommandButton
        command={replay}
        keys="shift+r"
        title="Send the event again as a new delivery"
        onPress={runReplay}
      >
        <Repeat /> Replay
      </CommandButton>
    </div>
  );
}

function Answer({ delivery }: { readonly delivery: Detail }) {
  const { status, body, durationMs, error } = delivery.response;
  if (delivery.attempts === 0) return null;
  const isArrived = status !== null && status >= 200 && status < 300;
  return (
    <section aria-label="Response" className="hook-part">
      <h3>Response</h3>
      <p className={isArrived ? "hook-verdict ok" : "hook-verdict bad"}>
        <strong>{status ?? "No response"}</strong>
        {error !== null && <span>{error}</span>}
        <span className="muted">{toDuration(durationMs)}</span>
      </p>
      {body !== null && body !== "" && <BodyText text={body} label="Body of the response" />}
    </section>
  );
}

const isGood = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

function describeAttempt({ number, status, durationMs, error }: Attempt): string {
  const answer = status === null ? (error ?? "no response") : String(status);
  return `${number}. ${answer}${durationMs === null ? "" : ` in ${toDuration(durationMs)}`}`;
}
