import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { toDuration, toWords } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { DELIVERY_STATES, type DeliveryState, type WebhookSearch } from "../search.ts";
import { DeliverySide } from "./delivery-side.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Delivery = Schemas["WebhookDelivery"];

const PAGE = 50;
const LOOK_MS = 2_000;

/** Deliveries, newest first, next to the open one. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const search = useSearch({ from: "/inside/webhooks/$id" });
  const navigate = useNavigate();
  const { status } = search;
  const query = { limit: PAGE, ...(status && { status }) };
  const { data, error, isPending, refetch } = useOp(
    "webhooks.list_deliveries",
    { params: { id }, query },
    { refetchInterval: LOOK_MS },
  );
  const [older, setOlder] = useState<readonly Delivery[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  useEffect(() => {
    setOlder([]);
    setCursor(undefined);
  }, [id, status]);
  const go = (change: WebhookSearch): void =>
    void navigate({
      to: "/webhooks/$id",
      params: { id },
      search: { ...search, ...change },
      replace: true,
    });
  const newest = data?.data ?? [];
  const known = new Set(newest.map((delivery) => delivery.id));
  const deliveries = [...newest, ...older.filter((delivery) => !known.has(delivery.id))];
  const next = cursor === undefined ? data?.pagination.nextCursor : cursor;
  useListKeys({
    ids: deliveries.map((delivery) => delivery.id),
    chosen: search.open,
    onChoose: (open) => go({ open }),
  });
  const more = async (): Promise<void> => {
    if (!next) return;
    const page = await perform("webhooks.list_deliveries", {
      params: { id },
      query: { ...query, after: next },
    });
    if (!page) return;
    setOlder((before) => [...before, ...page.data]);
    setCursor(page.pagination.nextCursor);
  };
  return (
    <div className="hook-split">
      <div className="hook-list">
        <StateFilter chosen={status} onChoose={(state) => go({ status: state, open: undefined })} />
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={8} />}
        {data && (
          <div className="scroll hook-rows" role="region" aria-label="Deliveries" tabIndex={0}>
            {deliveries.length === 0 && <NothingSent status={status} webhook={webhook} />}
            {deliveries.map((delivery) => (
              <Row
                key={delivery.id}
                delivery={delivery}
                isOpen={delivery.id === search.open}
                onOpen={() => go({ open: delivery.id === search.open ? undefined : delivery.id })}
              />
            ))}
            {next && (
              <Button className="hook-more" onClick={() => void more()}>
                Older
              </Button>
            )}
          </div>
        )}
      </div>
      {search.open !== undefined && (
        <DeliverySide
          key={search.open}
          webhookId={id}
          deliveryId={search.open}
          onOpen={(open) => go({ open, status: undefined })}
          onClose={() => go({ open: undefined })}
        />
      )}
    </div>
  );
}

function StateFilter(props: {
  readonly chosen: DeliveryState | undefined;
  readonly onChoose: (state: DeliveryState | undefined) => void;
}) {
  return (
    <div className="tabs hook-states" role="group" aria-label="State">
      <PlainButton
        aria-pressed={props.chosen === undefined}
        onClick={() => props.onChoose(undefined)}
      >
        All
      </PlainButton>
      {DELIVERY_STATES.map((state) => (
        <PlainButton
          key={state}
          aria-pressed={props.chosen === state}
          onClick={() => props.onChoose(state)}
        >
          {toWords(state)}
        </PlainButton>
      ))}
    </div>
  );
}

function NothingSent(props: {
  readonly status: DeliveryState | undefined;
  readonly webhook: Webhook;
}) {
  if (props.status !== undefined) {
    return <Empty title={`No ${toWords(props.status).toLowerCase()} deliveries`} />;
  }
  return (
    <Empty title="No deliveries yet">
      The webhook sends {props.webhook.events.join(", ")}. Press <kbd className="key">t</kbd> to
      send a test event.
    </Empty>
  );
}

function Row(props: {
  readonly delivery: Delivery;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { status, eventType, attempts, lastResponseStatus, lastDurationMs, createdAt, replayOf } =
    props.delivery;
  const answer =
    lastResponseStatus === null ? (attempts > 0 ? "no response" : "") : lastResponseStatus;
  return (
    <PlainButton
      className="hook-row"
      aria-current={props.isOpen || undefined}
      onClick={props.onOpen}
    >
      <State state={status} />
      <span className="mono cut">
        {eventType}
        {replayOf !== null && <span className="muted"> · replay</span>}
      </span>
      <span className="muted hook-answer">
        {answer}
        {attempts > 1 && ` · ${attempts} attempts`}
      </span>
      <span className="muted hook-took">{toDuration(lastDurationMs)}</span>
      <Ago at={createdAt} />
    </PlainButton>
  );
}
