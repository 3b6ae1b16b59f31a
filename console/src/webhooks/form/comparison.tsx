import { useQuery } from "@tanstack/react-query";
import { call, type Input } from "../../data/api.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";
import { parseFilter, type WebhookDraft } from "./draft.ts";

type Asked = Input<"webhooks.simulate">["body"];

const PAUSE_MS = 600;
const SHOWN_MAX = 8;

interface ComparisonProps {
  readonly webhook: Pick<Webhook, "id" | "events" | "filter" | "environments">;
  readonly draft: Pick<WebhookDraft, "events" | "filter" | "environments">;
}

/** Compares matching past events between the draft and the saved webhook. */
export function Comparison({ webhook, draft }: ComparisonProps) {
  const filter = parseFilter(draft.filter);
  const body = useDebounced(
    JSON.stringify({
      webhook: {
        events: draft.events,
        filter: filter ?? null,
        environments: draft.environments.length === 0 ? null : draft.environments,
      },
    }),
    PAUSE_MS,
  );
  const { data } = useQuery({
    queryKey: ["webhook simulation", webhook, body],
    enabled: draft.events.length > 0 && filter !== undefined,
    retry: false,
    queryFn: async ({ signal }) => {
      const input = { params: { id: webhook.id }, body: JSON.parse(body) as Asked };
      return (await call("webhooks.simulate", input, { signal })).data;
    },
  });
  if (!data) return null;
  return (
    <section className="hook-comparison" aria-label="Effect of the change">
      <h3>Effect of the change</h3>
      <p className="muted" role="status">
        {data.changedCount === 0
          ? `No difference: ${count(data.after, "event")} of the newest ${data.scanned.toLocaleString("en")} are sent before and after the change.`
          : `${count(data.after, "event")} sent instead of ${data.before}. The result differs for ${data.changedCount} of the newest ${count(data.scanned, "event")}.`}
      </p>
      <ul>
        {data.changed.slice(0, SHOWN_MAX).map(({ event, after }) => (
          <li key={event.id}>
            <b>{after ? "sent" : "not sent"}</b>
            <span className="mono cut">{event.type}</span>
            <span className="muted cut grow">
              {event.resource.number ?? event.resource.displayName ?? event.resource.id}
            </span>
            <Ago at={event.createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
