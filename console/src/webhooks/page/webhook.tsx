import "../webhooks.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Ellipsis, KeyRound, Pause, Play, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { perform, useCommand } from "../../data/use-command.ts";
import { PageError } from "../../shell/not-found.tsx";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { toDuration, toWords } from "../../ui/words.ts";
import { HealthStrip } from "../health-strip.tsx";
import { type Health, shareOf, stateOf, type Webhook } from "../health.ts";
import { WEBHOOK_TABS, type WebhookTab } from "../search.ts";
import { Deliveries } from "./deliveries.tsx";
import { PauseNotice, ResumeDialog } from "./pause-notice.tsx";
import { Recoveries } from "./recoveries.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { Settings } from "./settings.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

const LOOK_MS = 3_000;

type Asked = "resume" | "rotate" | "delete";

/** The page of a webhook: deliveries, recovery and settings. */
export function WebhookPage() {
  const { id } = useParams({ from: "/inside/webhooks/$id" });
  const { tab = "deliveries" } = useSearch({ from: "/inside/webhooks/$id" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp(
    "webhooks.get",
    { params: { id } },
    { refetchInterval: LOOK_MS },
  );
  const webhook = data?.data;
  useTitle(webhook?.name);
  const choose = (next: WebhookTab): void =>
    void navigate({
      to: "/webhooks/$id",
      params: { id },
      search: { tab: next === "deliveries" ? undefined : next },
      replace: true,
    });
  if (error) return <PageError error={error} retry={() => void refetch()} />;
  if (isPending || !webhook) return <Loading rows={10} />;
  return (
    <div className="page paper">
      <Head webhook={webhook} />
      {webhook.status === "paused" && <PauseNotice webhook={webhook} />}
      {webhook.catchingUp && (
        <p className="notice" role="status">
          Sending the events that were missed during the pause, in order.
        </p>
      )}
      <Tabs
        className="hook-tabs"
        label={webhook.name}
        tabs={WEBHOOK_TABS.map((one) => ({ id: one, label: toWords(one) }))}
        chosen={tab}
        onChoose={choose}
      >
        {tab === "deliveries" && <Deliveries webhook={webhook} />}
        {tab === "recovery" && <Recoveries webhook={webhook} />}
        {tab === "settings" && <Settings key={webhook.id} webhook={webhook} />}
      </Tabs>
    </div>
  );
}

function Head({ webhook }: { readonly webhook: Webhook }) {
  const { id, name, url, status } = webhook;
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const health = useOp("webhooks.list_health", { query: { id } }, { refetchInterval: LOOK_MS }).data
    ?.data[0];
  const reason = refusalOf("webhooks.delete");
  const tested = useCommand("webhooks.test", { said: ({ data }) => describeTest(data) });
  const test = (): void => void tested.run({ params: { id } });
  const turn = (): void => {
    if (status === "paused") return setAsked("resume");
    void pause(webhook);
  };
  useActions([
    { keys: "t", label: "Send test event", run: test, disabled: tested.refusal },
    {
      keys: "p",
      label: status === "paused" ? "Resume" : "Pause",
      run: turn,
      disabled: reason,
    },
  ]);
  const remove = useCommand("webhooks.delete", {
    said: `${name} deleted.`,
    onDone: () => void navigate({ to: "/webhooks" }),
  });
  const off = { disabled: reason !== undefined, title: reason };
  return (
    <header className="page-head hook-page-head">
      <div className="grow hook-title">
        <h1 className="cut">{name}</h1>
        <span className="muted mono cut">{url}</span>
      </div>
      {health && health.recent.length > 0 && <Summary health={health} />}
      <State {...stateOf(webhook, health)} />
      <CommandButton command={tested} keys="t" onPress={test}>
        <Send /> {tested.isBusy ? "Sending…" : "Send test event"}
      </CommandButton>
      <Button look={status === "paused" ? "main" : undefined} {...off} onClick={turn}>
        {status === "paused" ? <Play /> : <Pause />}
        {status === "paused" ? "Resume" : "Pause"} <Keys keys="p" />
      </Button>
      <Menu
        label="More"
        className="btn bare icon"
        items={[
          {
            label: "Rotate signing secret",
            icon: <KeyRound />,
            disabled: reason,
            onPick: () => setAsked("rotate"),
          },
          {
            label: "Delete",
            icon: <Trash2 />,
            isDangerous: true,
            isApart: true,
            disabled: reason,
            onPick: () => setAsked("delete"),
          },
        ]}
      >
        <Ellipsis />
      </Menu>
      {asked === "resume" && <ResumeDialog webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "rotate" && <SecretDialog webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${name}`}
          act="Delete webhook"
          isBusy={remove.isBusy}
          onAct={() => void remove.run({ params: { id } })}
          onClose={() => setAsked(undefined)}
        >
          Deletes the webhook to {new URL(url).host} and its delivery history. This can't be undone.
        </Confirm>
      )}
    </header>
  );
}

function Summary({ health }: { readonly health: Health }) {
  return (
    <span className="hook-summary">
      <HealthStrip recent={health.recent} />
      {health.successShare !== null && <span>{shareOf(health.successShare)} succeeded</span>}
      {health.open > 0 && <span className="muted">{health.open} in progress</span>}
    </span>
  );
}

function describeTest({ status, error, latency_ms: ms }: Schemas["PingResult"]): string {
  if (status === 0) return `No response: ${error ?? "unknown error"}`;
  const verdict = status >= 200 && status < 300 ? "Test event delivered" : "Test event rejected";
  return `${verdict}: ${status} in ${toDuration(ms)}.`;
}

const pause = ({ id, name }: Webhook): Promise<unknown> =>
  perform(
    "webhooks.update",
    { params: { id }, body: { status: "paused" } },
    {
      said: `${name} paused. Missed events can be sent when you resume it.`,
      undo: () => call("webhooks.resume", { params: { id }, body: { from: "pausedAt" } }),
    },
  );
